import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Runs the script in a separate Node process without a window, and reads the JSON that it prints. */
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

  expect(result).toEqual({
    added: [],
    exports: [
      'PluginError',
      'connect',
      'createAdapter',
      'nonceFrom',
      'observeHeight',
      'renderError',
      'trustIssuers',
    ],
  });
});

test('creating needs no window; functions that need a host fail at once', async () => {
  const result = await runInNode(`
    const { connect, createAdapter, trustIssuers } = await import('./index.ts');
    const issuers = trustIssuers([{ issuer: 'https://a', keys: [{}] }]);
    const adapter = createAdapter({ srcId: 'instance-1', issuers });
    adapter.setHeight(1);
    const attempts = [adapter.init, adapter.getToken, adapter.session, () => adapter.fetch('/'), () => connect({})];
    const codes = [];
    for (const attempt of attempts) codes.push(await attempt().catch(({ code }) => code));
    adapter.retain()();
    console.log(JSON.stringify({ codes, embedded: adapter.embedded, srcId: adapter.srcId }));
  `);

  expect(result).toEqual({
    codes: Array.from({ length: 5 }, () => 'ERR_NOT_EMBEDDED'),
    embedded: false,
    srcId: 'instance-1',
  });
});
