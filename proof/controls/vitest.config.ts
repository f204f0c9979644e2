/** Runs tests with one control taken out of its module while it is loaded; no file is changed. */
import { defineConfig, type Plugin } from 'vitest/config';
import { type Control, controlVariable, lineOf } from './controls.ts';

function withoutControl(control: Control): Plugin {
  const isChanged = (id: string) => id.split('?', 1)[0]?.endsWith(`/${control.file}`) === true;
  return {
    name: 'without-control',
    enforce: 'pre',
    configureVitest({ defineCacheKeyGenerator }) {
      // Another run would find the changed module in the cache. All others are the same in each run.
      defineCacheKeyGenerator(({ id }) => (isChanged(id) ? false : undefined));
    },
    transform: (code, id) =>
      isChanged(id) ? code.replace(lineOf(control), () => control.broken) : undefined,
  };
}

const control = process.env[controlVariable];

export default defineConfig({
  plugins: control === undefined ? [] : [withoutControl(JSON.parse(control) as Control)],
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'apps/{bff,emulator}/src/**/*.test.ts',
      'proof/kills/*.test.ts',
    ],
    exclude: ['**/*.property.test.ts', '**/node_modules/**'],
    // Shorter than elsewhere: without its control a test may wait for what never comes.
    testTimeout: 100_000,
    hookTimeout: 100_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
