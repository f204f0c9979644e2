/** The dashboard below the path of the public URL. */
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ServerWorld, startServerWorld } from '../testing/server-world.ts';

const page =
  '<meta name="dowel-path" content="/admin/" /><script src="/admin/assets/index-abc.js"></script>';

let world: ServerWorld;
let directory: string;

beforeEach(async () => {
  world = await startServerWorld();
  directory = join(world.folder, 'pages');
  await mkdir(join(directory, 'assets'), { recursive: true });
  await writeFile(join(directory, 'index.html'), page);
  await writeFile(join(directory, 'assets/index-abc.js'), 'export {};');
});
afterEach(() => world[Symbol.asyncDispose]());

async function start(path: string, origin?: string) {
  const links: string[] = [];
  const onSignInLink = ({ url }: { url: string }) => void links.push(url);
  const server = world.create({
    publicUrl: `http://localhost:1${path}`,
    dashboard: { directory, origin, onSignInLink },
  });
  const { port } = await server.start();
  return { url: `http://localhost:${port}${path}`, links };
}

test.each(['', '/polls', '/a/b'])('is at %s/admin/, and its page says so', async (path) => {
  const { url, links } = await start(path);

  for (const address of ['/admin/', '/admin/installations/5f']) {
    const answer = await fetch(`${url}${address}`);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('content-security-policy')).toContain("base-uri 'none'");
    expect(await answer.text()).toBe(page.replaceAll('/admin/', `${path}/admin/`));
  }
  expect((await fetch(`${url}/admin/assets/index-abc.js`)).status).toBe(200);
  expect((await fetch(`${url}/admin/api/session`)).status).toBe(401);
  expect(links[0]).toContain(`${path}/admin/sign-in#code=`);
});

test('F33: without a dashboard nobody signs in, and the API is for commands', async () => {
  const { port } = await world.create().start();
  const url = `http://localhost:${port}/admin/api`;
  const headers = { 'x-dowel-csrf': '1', 'content-type': 'application/json' };
  const body = JSON.stringify({ code: 'a code' });

  const signIn = await fetch(`${url}/session`, { method: 'POST', headers, body });
  const read = await fetch(`${url}/fleet`, { headers: { authorization: 'Bearer a-code' } });

  expect([signIn.status, (await fetch(`${url}/session/methods`)).status]).toEqual([405, 404]);
  expect(await read.json()).toMatchObject({ code: 'SIGN_IN_FAILED' });
});

test('a redirect to the dashboard keeps the path', async () => {
  const { url } = await start('/polls');

  const answer = await fetch(`${url}/admin`, { redirect: 'manual' });

  expect(answer.headers.get('location')).toBe('/polls/admin/');
});

describe('with a host of its own, the dashboard', () => {
  const origin = 'https://admin.example.com';
  /** Asks with this header Host, which fetch does not let us set. */
  const statusAt = async (host: string, url: string, method = 'GET') => {
    const request = httpRequest(url, { method, headers: { host } }).end();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };

  test('F29: is served there only, and nothing else is', async () => {
    const { url } = await start('/polls', origin);
    const own = 'admin.example.com';

    for (const path of ['/admin/', '/admin/assets/index-abc.js']) {
      expect(await statusAt(own, `${url}${path}`)).toBe(200);
      expect(await statusAt('admin.example.com:443', `${url}${path}`)).toBe(200);
    }
    expect(await statusAt(own, `${url}/admin/api/session`)).toBe(401);
    for (const path of ['/plugin/', '/manifest.json', '/openapi.html', '/lifecycle/install']) {
      expect([path, await statusAt(own, `${url}${path}`)]).toEqual([path, 404]);
    }
    for (const path of [
      '/',
      '/admin',
      '/admin/',
      '/admin/api/session',
      '/admin/api/openapi.json',
    ]) {
      for (const host of ['localhost', 'admin.example.com:8443', 'x.admin.example.com']) {
        expect([path, host, await statusAt(host, `${url}${path}`)]).toEqual([path, host, 404]);
      }
    }
    expect(await statusAt('localhost', `${url}/manifest.json`)).toBe(200);
    for (const host of [own, 'localhost']) expect(await statusAt(host, `${url}/livez`)).toBe(200);
  });

  test('has a link, a cookie and an API of that host', async () => {
    const { url, links } = await start('', origin);
    const [, code] = links[0]?.split('#code=') ?? [];
    const headers = { host: 'admin.example.com', origin, 'x-dowel-csrf': '1' };
    const body = JSON.stringify({ code });
    const request = httpRequest(`${url}/admin/api/session`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
    }).end(body);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.resume();

    expect(links[0]).toMatch(/^https:\/\/admin\.example\.com\/admin\/sign-in#code=/);
    expect(answer.statusCode).toBe(201);
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^__Host-dowel_admin=[^;]+; Path=\/; HttpOnly/,
    );
    expect(answer.headers['set-cookie']?.[0]).not.toMatch(/domain/i);
  });

  test('cannot have the host of the plug-ins', async () => {
    await expect(start('/polls', 'http://localhost:1')).rejects.toThrow(
      'dashboard.origin must have another host than the public URL',
    );
    await expect(start('', 'https://admin.example.com/path')).rejects.toThrow(
      'dashboard.origin must be an origin without a path',
    );
  });
});
