/** A page that is not built is found when the server opens, not by its first visitor. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSampleManifest, type ServerWorld, startServerWorld } from '../testing/server-world.ts';

let world: ServerWorld;
let empty: string;
let file: string;

beforeEach(async () => {
  world = await startServerWorld();
  empty = join(world.folder, 'empty');
  file = join(world.folder, 'page.html');
  await mkdir(empty);
  await writeFile(file, '<!doctype html>');
});
afterEach(() => world[Symbol.asyncDispose]());

test('a folder that does not exist is one line that says which, and how to go on', async () => {
  const directory = join(world.folder, 'dist');
  const server = world.create({ frontend: { directory } });

  await expect(server.open()).rejects.toMatchObject({
    name: 'ConfigError',
    message: `frontend.directory: the folder ${directory} cannot be used: it does not exist (ENOENT). Build the page first, or correct the path. A relative path begins at the working folder.`,
  });
});

test('so are a folder without index.html, and a file', async () => {
  await expect(world.create({ frontend: { directory: empty } }).start()).rejects.toThrow(
    `frontend.directory: index.html of the folder ${empty} cannot be used: it does not exist (ENOENT). Build`,
  );
  await expect(world.create({ frontend: { directory: file } }).open()).rejects.toThrow(
    `frontend.directory: ${file} is a file. Build`,
  );
});

test('of several plug-ins the message names the one', async () => {
  const manifest = await readSampleManifest();
  const plugins = { lunch: { manifest, frontend: { directory: empty } } };

  await expect(world.create({ plugins }).open()).rejects.toThrow(
    /^plugins\.lunch\.frontend\.directory: /,
  );
});

test('the server can be opened when the page is built', async () => {
  const server = world.create({ frontend: { directory: empty } });
  await expect(server.open()).rejects.toThrow('index.html');
  await writeFile(join(empty, 'index.html'), '<!doctype html>');

  await server.open();

  expect(server.isReady()).toBe(true);
});

test('a page that is served elsewhere need not be built, and is not served', async () => {
  const environment = { DOWEL_FRONTEND: 'elsewhere' };
  const server = world.create({ environment, frontend: { directory: empty } });

  const { url } = await server.start();

  expect((await fetch(`${url}/plugin/`)).status).toBe(404);
  expect((await fetch(`${url}/plugin/config.json`)).status).toBe(200);
});

test('a dashboard without its pages is a warning, because the rest works', async () => {
  await world.create({ dashboard: { directory: empty } }).open();

  expect(world.lines.filter(({ level }) => level === 'warn')).toMatchObject([
    { message: expect.stringMatching(/^dashboard\.directory: index\.html of the folder /) },
  ]);
});

test.each([
  ['frontend', { frontend: 'dist' }],
  ['frontend', { frontend: {} }],
  ['dashboard', { dashboard: 'dist' }],
])('%s without a directory is a slip of the program', (name, changes) => {
  expect(() => world.create(changes as object)).toThrow(
    new TypeError(`${name} must be an object with a directory, a string`),
  );
});
