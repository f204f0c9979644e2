/** The examples in the doc comments, as they stand there. */
import { readFile } from 'node:fs/promises';
import { createFakeHost, type FakeHost } from '@dowel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect } from './connect.ts';
import { createAdapter } from './create-adapter.ts';
import { observeHeight } from './observe-height.ts';
import { signingKey } from './testing/test-host.ts';
import { trustIssuers } from './trust-issuers.ts';

const { keyDocument } = signingKey;
let host: FakeHost;

beforeEach(async () => {
  const issuer = 'https://acme.example.com';
  host = await createFakeHost({ issuer, signingKey });
  history.replaceState(null, '', host.url('/'));
});

afterEach(() => {
  host.close();
  document.body.replaceChildren();
  history.replaceState(null, '', '/');
});

/** The host publishes its key where the examples look for it. */
async function publishKey(): Promise<void> {
  host.close();
  host = await createFakeHost({ issuer: 'https://example.com', keyDelivery: 'jku', signingKey });
}

test('the example of createAdapter runs', async () => {
  await publishKey();
  const adapter = createAdapter({ jkuOrigins: ['https://keys.example.com'] });
  const { claims, config } = await adapter.init();

  expect([claims.ctx.userName, config]).toEqual(['Robin Berg', {}]);
  adapter.destroy();
});

test('the example of connect runs', async () => {
  await publishKey();
  const { claims, initJwt } = await connect({ jkuOrigins: ['https://keys.example.com'] });

  expect([claims.ctx.userName, initJwt.split('.').length]).toEqual(['Robin Berg', 3]);
});

test('the example of trustIssuers runs', async () => {
  const issuers = trustIssuers([
    { issuer: 'https://acme.example.com', keys: [keyDocument] },
    { issuer: /https:\/\/\w+\.example\.com/ },
  ]);
  const adapter = createAdapter({ issuers, jkuOrigins: ['https://keys.example.com'] });

  await expect(adapter.init()).resolves.toMatchObject({ hostOrigin: 'https://acme.example.com' });
  adapter.destroy();
});

test('the example of observeHeight runs', async () => {
  const issuers = trustIssuers(host.issuers);
  const adapter = createAdapter({ issuers });
  await adapter.init();
  const main = document.body.appendChild(document.createElement('main'));
  main.getBoundingClientRect = () => ({ bottom: 70 }) as DOMRect;

  const stop = observeHeight(adapter, document.querySelector('main'));

  await expect.poll(() => host.heights, { timeout: 20_000 }).toEqual([70]);
  stop();
  adapter.destroy();
});

test.each(['create-adapter', 'connect', 'trust-issuers', 'observe-height'])(
  'the example in %s.ts is one of the above',
  async (name) => {
    const source = await readFile(`${import.meta.dirname}/${name}.ts`, 'utf8');
    const [, example = ''] = /@example\n(.*?)\n \*\n/s.exec(source) ?? [];
    const lines = example.replaceAll(/^ \* ?/gm, '  ');
    expect(lines.trim()).not.toBe('');
    expect(await readFile(import.meta.filename, 'utf8')).toContain(lines);
  },
);
