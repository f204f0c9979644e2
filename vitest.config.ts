import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/{bff,emulator}/src/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          exclude: ['packages/{adapter,testing}/**'],
          globalSetup: ['./scripts/vitest-postgres.ts'],
        },
      },
      {
        test: {
          name: 'dom',
          environment: 'jsdom',
          include: [
            'packages/{adapter,testing}/src/**/*.test.{ts,tsx}',
            'apps/*/src/**/*.test.tsx',
          ],
          setupFiles: ['./scripts/vitest-dom.ts'],
        },
      },
    ],
  },
});
