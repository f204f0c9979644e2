import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bypassProxies } from './bypass-proxies.ts';

const here = 'localhost,127.0.0.1,::1';

test.each([
  [{ HTTP_PROXY: 'p' }, here],
  [{ http_proxy: 'p', NO_PROXY: '.example.com' }, `.example.com,${here}`],
  [{ ALL_PROXY: 'p', NO_PROXY: 'a', no_proxy: 'b' }, `b,${here}`],
  [{ HTTP_PROXY: 'p', NO_PROXY: '' }, here],
])('with %j no proxy is asked for %s', (environment, names) => {
  bypassProxies(environment);

  expect(environment).toMatchObject({ NO_PROXY: names, no_proxy: names });
});

test('without a proxy the environment stays as it is', () => {
  const environment = { PATH: '/bin', HTTP_PROXY: '' };
  bypassProxies(environment);

  expect(environment).toEqual({ PATH: '/bin', HTTP_PROXY: '' });
});

test('a command reaches the platform of this machine past the proxy', async () => {
  const server = createServer((_, response) => response.end('{"tenants":[]}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const args = ['send', 'install', '--platform', `http://localhost:${port}`];
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' };
  for (const name of ['NO_PROXY', 'no_proxy', 'http_proxy']) Reflect.deleteProperty(env, name);

  const child = spawn(process.execPath, [main, ...args], { env });
  const errors = await text(child.stderr);

  server.close();
  expect(errors).toMatch(/^The platform has no such tenant/);
});
