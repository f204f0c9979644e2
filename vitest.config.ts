import { defineConfig } from 'vitest/config';

/** Limits catch what hangs; they do not measure: the machine may be shared and slow. */
const patience = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 10_000 } },
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...patience,
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
          ...patience,
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
