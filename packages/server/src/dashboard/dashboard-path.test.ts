/** The dashboard below the path of the public URL. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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

async function start(path: string) {
  const links: string[] = [];
  const onSignInLink = ({ url }: { url: string }) => void links.push(url);
  const server = world.create({
    publicUrl: `http://localhost:1${path}`,
    dashboard: { directory, onSignInLink },
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

test('a redirect to the dashboard keeps the path', async () => {
  const { url } = await start('/polls');

  const answer = await fetch(`${url}/admin`, { redirect: 'manual' });

  expect(answer.headers.get('location')).toBe('/polls/admin/');
});
