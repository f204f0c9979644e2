/** `dowel events`, on a real database and back end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliveriesSchema } from '@dowel/admin-api';
import type { NewDelivery, Store } from '@dowel/installation-store';
import type { Server } from '@dowel/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callCommand } from './testing/call-command.ts';
import { openNewStore } from './testing/open-new-store.ts';
import { startBackEnd } from './testing/start-back-end.ts';

const at = Date.UTC(2027, 0, 31, 14, 5);
const key = { issuer: 'https://acme.example.com', tenantId: 't', pluginId: 'p' };

const delivered = (changes: Partial<NewDelivery>): NewDelivery => ({
  id: crypto.randomUUID(),
  at,
  event: 'access_token',
  plugin: '',
  key,
  host: 'acme.example.com',
  isVerified: true,
  status: 201,
  reason: null,
  isRepeat: true,
  durationMs: 41,
  offBySeconds: null,
  sender: '',
  requestId: 'the-request',
  body: '{}',
  claims: [],
  ...changes,
});

const refused = { key: null, isVerified: false, isRepeat: false, status: 400, host: '' };

let folder: string;
let store: Store;
let server: Server;
let id: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  store = await openNewStore(folder);
  server = await startBackEnd(folder);
  ({ id } = await store.installations.begin(key, 1, 1));
  await store.deliveries.add([
    delivered({}),
    delivered({ ...refused, at: at + 60_000, reason: 'bad_token_format' }),
  ]);
});

afterAll(async () => {
  await server.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const dowel = (...args: string[]) => callCommand({ args: ['events', ...args], folder });

test('events are lines with the time, the answer and the installation, the newest first', async () => {
  expect((await dowel()).out.split('\n')).toEqual([
    '2027-01-31T14:06:00.000Z  access_token  400  bad_token_format  - (not verified)  -  the-request',
    `2027-01-31T14:05:00.000Z  access_token  201 (repeated)  -  acme.example.com  ${id}  the-request`,
    '',
  ]);
});

test.each([
  [() => ['--installation', id], 1],
  [() => ['--outcome', 'refused', '--reason', 'bad_token_format'], 1],
  [() => ['--event', 'install'], 0],
  [() => ['--since', '2027-01-31T14:05:00Z', '--until', '2027-01-31T14:05:01Z'], 1],
  [() => ['--limit', '1', '--order', 'oldest'], 1],
])('they are found by %s', async (options, count) => {
  const { code, out } = await dowel(...options(), '--json');

  expect(code).toBe(0);
  const { deliveries } = deliveriesSchema
    .omit({ now: true })
    .parse(JSON.parse(out, (name, value) => (name === 'at' ? Date.parse(value as string) : value)));
  expect(deliveries).toHaveLength(count);
});

test.each([
  [['--since', 'soon'], '--since must be a date, such as 2027-01-31'],
  [['--until', 'soon'], '--until must be a date'],
  [['--outcome', 'lost'], '--outcome: '],
])('%j is misuse', async (options, message) => {
  const { code, err } = await dowel(...options);

  expect(code).toBe(2);
  expect(err).toContain(message);
});
