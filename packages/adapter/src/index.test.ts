import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Runs the script in a Node process of its own, where no window is, and reads the JSON it prints. */
async function runInNode(script: string): Promise<unknown> {
  const args = ['--input-type=module', '--eval', script];
  const cwd = import.meta.dirname;
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  return JSON.parse(stdout);
}

test('importing needs no window, adds no global and leaves nothing running', async () => {
  const result = await runInNode(`
    const before = Object.getOwnPropertyNames(globalThis);
    const adapter = await import('./index.ts');
    const added = Object.getOwnPropertyNames(globalThis).filter((name) => !before.includes(name));
    console.log(JSON.stringify({ added, exports: Object.keys(adapter) }));
  `);

  expect(result).toEqual({ added: [], exports: ['PluginError', 'connect'] });
});

test('connecting where no window is fails as not embedded', async () => {
  const result = await runInNode(`
    const { connect } = await import('./index.ts');
    const { code } = await connect({ keyOrigins: [] }).catch((error) => error);
    console.log(JSON.stringify(code));
  `);

  expect(result).toBe('ERR_NOT_EMBEDDED');
});
