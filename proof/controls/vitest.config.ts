/** Runs tests with one control taken out of its module while it is loaded; no file is changed. */
import { defineConfig, type Plugin } from 'vitest/config';
import { type Control, controlVariable } from './control.ts';

function withoutControl({ file, find, replace }: Control): Plugin {
  const isChanged = (id: string) => id.split('?', 1)[0]?.endsWith(`/${file}`) === true;
  return {
    name: 'without-control',
    enforce: 'pre',
    configureVitest({ defineCacheKeyGenerator }) {
      // Another run would find the changed module in the cache. All others are the same in each run.
      defineCacheKeyGenerator(({ id }) => (isChanged(id) ? false : undefined));
    },
    transform: (code, id) => (isChanged(id) ? code.replace(find, () => replace) : undefined),
  };
}

const control = process.env[controlVariable];

/** Shorter than elsewhere: without its control a test may wait for what never comes. */
const patience = {
  testTimeout: 40_000,
  hookTimeout: 60_000,
  // A run of actions waits ten seconds for the process that has it.
  expect: { poll: { timeout: 30_000 } },
};

export default defineConfig({
  plugins: control === undefined ? [] : [withoutControl(JSON.parse(control) as Control)],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/{bff,emulator}/src/**/*.test.ts',
            'proof/kills/**/*.test.ts',
          ],
          // A control must be guarded by the test that names it, not by chance.
          exclude: ['packages/adapter/**', '**/*.property.test.ts', '**/node_modules/**'],
          ...patience,
        },
      },
      {
        extends: true,
        test: {
          name: 'dom',
          environment: 'jsdom',
          include: ['packages/adapter/src/**/*.test.ts'],
          ...patience,
        },
      },
    ],
  },
});
