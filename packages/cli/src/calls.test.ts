/** `dowel calls` on a real database and back end. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoggedCall, Store } from '@dowel/installation-store';
import type { Server } from '@dowel/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callCommand } from './testing/call-command.ts';
import { openNewStore } from './testing/open-new-store.ts';
import { startBackEnd } from './testing/start-back-end.ts';

const hourMs = 3_600_000;

let folder: string;
let store: Store;
let server: Server;
let acme: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  store = await openNewStore(folder);
  server = await startBackEnd(folder);
  acme = await begin('acme');
  const bolt = await begin('bolt');
  await store.calls.log([
    logged(acme, { count: 412, requestId: 'r-1' }),
    logged(bolt, { reason: 'timed_out', status: null, lastMs: 3 * hourMs, answer: null }),
    logged(bolt, { reason: null, status: 200 }),
  ]);
});

afterAll(async () => {
  await server.close();
  await store.close();
  await rm(folder, { recursive: true });
});

async function begin(name: string): Promise<string> {
  const tenant = { issuer: `https://${name}.example.com`, tenantId: `tenant-${name}` };
  const { id } = await store.installations.begin({ ...tenant, pluginId: 'p' }, 1, 1);
  return id;
}

const logged = (installationId: string, changes: Partial<LoggedCall>): LoggedCall => ({
  id: randomUUID(),
  installationId,
  count: 1,
  firstMs: 0,
  lastMs: 0,
  operation: 'listUsers',
  method: 'GET',
  path: '/api/users/{id}',
  host: 'api.example.com',
  status: 503,
  reason: 'platform_5xx',
  fault: null,
  durationMs: 120,
  attempts: 1,
  requestId: null,
  userId: null,
  answer: 'Down',
  ...changes,
});

const dowel = (...args: string[]) => callCommand({ args: ['calls', ...args], folder });

const acmeLine =
  /^\S+Z {2}acme\.example\.com {2}listUsers {2}GET \/api\/users\/\{id\} {2}platform_5xx 503 \(412 times\) {2}120 ms {2}r-1 {2}Down$/m;
const boltLine = /^\S+Z {2}bolt\.example\.com .* timed_out {2}120 ms {2}- {2}-$/m;

test('failed calls are listed, the newest first, with reason and answer', async () => {
  const { out, code } = await dowel();
  const [first, second, ...others] = out.trimEnd().split('\n');
  expect(first).toMatch(acmeLine);
  expect(second).toMatch(boltLine);
  expect({ code, others }).toEqual({ code: 0, others: [] });
});

test('the filters limit what is listed', async () => {
  const since = new Date(Date.now() - hourMs).toISOString();
  for (const filter of [
    ['--installation', acme],
    ['--reason', 'platform_5xx'],
    ['--since', since],
    ['--limit', '1'],
  ]) {
    const { out } = await dowel(...filter);
    expect(out).toMatch(acmeLine);
    expect(out).not.toMatch(boltLine);
  }
});

test('--json prints the whole entries', async () => {
  const { out } = await dowel('--installation', acme, '--json');
  expect(JSON.parse(out)).toMatchObject({
    calls: [{ installation: { id: acme }, count: 412, lastAt: expect.stringMatching(/Z$/) }],
    next: null,
  });
});

test('a reason that does not exist is refused', async () => {
  const { code, err } = await dowel('--reason', 'platform_503');
  expect(code).toBe(2);
  expect(err).toContain('--reason must be one of platform_unreachable, ');
});
