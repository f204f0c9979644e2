/** The errors of the specification, as `init` throws them (Spec §7). */

import { afterEach, expect, test } from 'vitest';
import { createAdapter } from './create-adapter.ts';
import type { FakeHost } from './fake-host/index.ts';
import { createAdapterFor, openHost, startServer } from './testing/test-host.ts';

let host: FakeHost | undefined;

afterEach(() => host?.close());

test('a host that does not answer is ERR6, Initialization timed out', async () => {
  host = await openHost({ answers: 'never' });

  await expect(createAdapterFor(host).init({ timeoutMs: 50 })).rejects.toMatchObject({
    name: 'PluginError',
    code: 'ERR6',
    message: 'Initialization timed out',
  });
});

test('a token that the platform did not sign is ERR2, Invalid plug-in token', async () => {
  host = await openHost({ answers: 'forged' });

  await expect(createAdapterFor(host).init()).rejects.toMatchObject({
    name: 'PluginError',
    code: 'ERR2',
    message: 'Invalid plug-in token',
  });
});

test.each([
  ['is missing', 404, ''],
  ['is not a key', 200, '<!doctype html>'],
])('a certificate that %s is ERR7', async (_, status, body) => {
  host = await openHost({ answers: 'never' });
  await using keyHost = await startServer((_request, response) =>
    response.writeHead(status, { 'access-control-allow-origin': '*' }).end(body),
  );
  const initialising = createAdapter({ srcId: host.srcId, jkuOrigins: [keyHost.origin] }).init();
  const outcome = expect(initialising).rejects.toMatchObject({ name: 'PluginError', code: 'ERR7' });
  await expect.poll(() => host?.messages.length).toBe(1);
  const { jti } = host.messages[0]?.message ?? {};

  host.send(await host.sign({ sub: 'init', jti }, { jku: `${keyHost.origin}/key.json` }));

  await outcome;
  expect(keyHost.requests).toEqual(['/key.json']);
});
