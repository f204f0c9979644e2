import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** `npm run test:all` sets it. `npm test` leaves out what is only in files of this name. */
const runsAll = process.env.DOWEL_TESTS === 'all';
/** Catches what hangs; it does not measure: the machine may be shared and slow. */
const limitMs = runsAll ? 600_000 : 180_000;
const patience = {
  testTimeout: limitMs,
  hookTimeout: limitMs,
  expect: { poll: { timeout: 120_000 } },
};

const long = '**/*.long.test.ts';
/** Uses every core by itself, so it runs after the rest. */
const simulator = 'proof/simulator/simulator.test.ts';

export default defineConfig({
  test: {
    // The default leaves one core idle, which is half of the usual two.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...patience,
          name: 'node',
          // Starts no process for each file. So no file may leave anything behind: listeners, settings, timers.
          isolate: false,
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/{bff,emulator}/src/**/*.test.ts',
            'examples/node/*.test.ts',
            'packages/create-dowel/template-*/test/*.test.ts',
            'proof/{simulator,kills,faults}/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          exclude: ['packages/adapter/**', simulator, ...(runsAll ? [] : [long])],
          globalSetup: ['./scripts/vitest-databases.ts'],
          // Many of these tests wait for real time-outs, so two more workers than cores.
          maxWorkers: availableParallelism() + 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...patience,
          name: 'dom',
          environment: 'jsdom',
          // A third of the CPU time. So no file may leave an adapter behind that still posts messages.
          isolate: false,
          include: [
            'packages/adapter/src/**/*.test.{ts,tsx}',
            'apps/*/src/**/*.test.tsx',
            'apps/{admin,plugin}/src/**/*.test.ts',
            'examples/browser/*.test.{ts,tsx}',
            'packages/create-dowel/template-*/test/*.test.tsx',
          ],
          setupFiles: ['./scripts/vitest-dom.ts'],
          // First and alone: they only compute, and the processes of the others would slow them down.
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve: {
          alias: [
            {
              find: /^(react|react-dom|@testing-library\/react)(?=\/|$)/,
              replacement: `${import.meta.dirname}/scripts/react-18/node_modules/$1`,
            },
          ],
        },
        test: {
          ...patience,
          name: 'react 18',
          environment: 'jsdom',
          include: ['packages/adapter/src/react/*.test.tsx'],
          setupFiles: ['./scripts/vitest-dom.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...patience,
          name: 'simulator',
          include: [simulator],
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
