/** Streams through a real nginx with its defaults, which keep an answer until it ends. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { failAtExit } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import { type ServerWorld, startServerWorld } from '../testing/server-world.ts';

const path = `${process.env.PATH}:/usr/sbin`;
const hasNginx = spawnSync('nginx', ['-v'], { env: { PATH: path } }).status === 0;

let world: ServerWorld;
let nginx: ChildProcess;
let bodies: PassThrough[];

beforeEach(async () => {
  world = await startServerWorld();
  bodies = [];
});
afterEach(async () => {
  for (const body of bodies) body.destroy();
  nginx.kill();
  await once(nginx, 'close');
  await world[Symbol.asyncDispose]();
});

/** A stream that has begun and does not end. */
function begin(): PassThrough {
  const body = new PassThrough();
  bodies.push(body);
  body.write('data: begun\n\n');
  return body;
}

async function findFreePort(): Promise<string> {
  const host = createServer();
  const { port } = new URL(await listenOnLoopback(host));
  await closeHost(host);
  return port;
}

/** @returns the URL of an nginx in front of this one */
async function startNginx(upstream: string): Promise<string> {
  const port = await findFreePort();
  const folder = join(world.folder, 'nginx');
  await mkdir(folder);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const configuration = `
    daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
    ${userInfo().uid === 0 ? 'user root;' : ''}
    events {}
    http {
      access_log off; ${temporary} gzip on; gzip_types *;
      server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; } }
    }`;
  await writeFile(join(folder, 'nginx.conf'), configuration);
  nginx = spawn('nginx', ['-e', `${folder}/error.log`, '-c', join(folder, 'nginx.conf')], {
    env: { PATH: path },
    stdio: 'inherit',
  });
  const url = `http://127.0.0.1:${port}`;
  const answered = vi.waitFor(() => fetch(`${url}/livez`), { timeout: 120_000, interval: 20 });
  await Promise.race([answered, failAtExit(nginx)]);
  return url;
}

/** The first piece of an answer that does not end. */
async function readFirst(url: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url, { headers });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

describe.skipIf(!hasNginx)('behind nginx (skipped where nginx is missing)', () => {
  test('streams of own routes arrive while they last', async () => {
    const eventStream = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
    const server = world.create({
      publicRoutes: (router) => {
        router.get('/events', () => ({ headers: eventStream, body: begin() }));
        router.get('/lines', () => ({ headers: { 'content-type': 'text/plain' }, body: begin() }));
      },
    });
    const { port } = await server.start();
    const url = await startNginx(`http://127.0.0.1:${port}`);

    expect(await readFirst(`${url}/events`)).toBe('data: begun\n\n');
    expect(await readFirst(`${url}/lines`)).toBe('data: begun\n\n');
    const { headers } = await fetch(`${url}/events`);
    expect(headers.get('cache-control')).toBe('no-cache, no-transform');
  });

  test("the dashboard's stream of changes arrives while it lasts", async () => {
    let code = '';
    const server = world.create({
      dashboard: {
        directory: world.folder,
        onSignInLink: ({ url }) => {
          code = new URL(url).hash.replace('#code=', '');
        },
      },
    });
    const { port, url: publicUrl } = await server.start();
    const url = await startNginx(`http://127.0.0.1:${port}`);
    const session = await fetch(`${publicUrl}/admin/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-dowel-csrf': '1' },
      body: JSON.stringify({ code }),
    });
    const [cookie = ''] = session.headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '');

    expect(await readFirst(`${url}/admin/api/changes`, { cookie })).toContain(': connected');
  });
});
