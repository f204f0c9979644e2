import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodePath, sendFile } from '@dowel/page-files';
import Koa from 'koa';
import { expect, test } from 'vitest';
import { createFolder, originOf, startServer, stopServer } from './kit.ts';

test('only the files of the folder are sent', async () => {
  await using folder = await createFolder();
  const root = join(folder.path);
  await writeFile(join(root, 'index.html'), '<!doctype html>');

  const app = new Koa();
  app.use(async (ctx) => {
    const path = decodePath(ctx.path.slice(1)); // undefined for ../secret
    if (path !== undefined && (await sendFile(ctx, { root, path, isImmutable: false }))) return;
    ctx.throw(404);
  });

  const server = await startServer();
  server.on('request', app.callback());
  const origin = originOf(server);
  const page = await fetch(`${origin}/index.html`);
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  expect((await fetch(`${origin}/..%2Fsecret`)).status).toBe(404);
  await stopServer(server);
});
