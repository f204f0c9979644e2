/** `dowel runs …` on a real database and back end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runListSchema } from '@dowel/admin-api';
import type { Store } from '@dowel/installation-store';
import type { Server } from '@dowel/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callCommand } from './testing/call-command.ts';
import { openNewStore } from './testing/open-new-store.ts';
import { startBackEnd } from './testing/start-back-end.ts';

const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';
const why = ['--reason', 'the tenant asked for it'];

let folder: string;
let store: Store;
let server: Server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  store = await openNewStore(folder);
  server = await startBackEnd(folder);
  for (const name of ['acme', 'bolt', 'cork']) {
    const key = { issuer: `https://${name}.example.com`, tenantId: `tenant-${name}`, pluginId };
    await store.installations.begin(key, 1, 1);
  }
});

afterAll(async () => {
  await server.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const dowel = (...args: string[]) => callCommand({ args: ['runs', ...args], folder });

const readRuns = async () => runListSchema.parse({ runs: await store.runs.list() }).runs;

test('a run takes what the filter finds, is listed until it is done, and is over then', async () => {
  const { code, out } = await dowel('start', 'pause', ...why, '--search', 'acme');

  expect(code).toBe(0);
  const [id = ''] = out.split('  ');
  await expect.poll(readRuns).toMatchObject([{ id, state: 'done', total: 1, done: 1 }]);
  const listed = await dowel('list');
  expect(listed.out).toMatch(
    new RegExp(`^${id}  \\S+Z  done  pause: 1 done, 0 unchanged, 0 refused, 0 failed, of 1  `),
  );
  expect(JSON.parse((await dowel('stop', id, '--json')).out)).toMatchObject({ state: 'done' });
});

test.each([
  [['start', 'pause', ...why], 'Which installations? Give one of --group, '],
  [['start', 'purge', ...why, '--group', 'paused'], 'ACTION: '],
  [['start', 'pause', '--group', 'paused'], '--reason: '],
  [['start', 'pause', ...why, '--group', 'sick'], '--group: '],
  [['start', ...why, '--group', 'paused'], '"runs start" takes ACTION.'],
])('with %j is misuse, and nothing starts', async (args, message) => {
  const before = await readRuns();

  const { code, out, err } = await dowel(...args);

  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
  expect(await readRuns()).toEqual(before);
});

test('a run that is unknown cannot be stopped', async () => {
  expect(await dowel('stop', 'none')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no such run'),
  });
});
