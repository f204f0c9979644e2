/** A database file that is deleted or replaced under a running process: fault D8. */
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestKey, installClaims, type KeyHost, startKeyHost } from '@dowel/server/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type StartedProcess, startProcess } from './testing/start-process.ts';

const patienceMs = 30_000;
const key = createTestKey();
let folder: string;
let keyHost: KeyHost;
let started: StartedProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-lost-'));
  keyHost = await startKeyHost();
  keyHost.serve('key.json', key.document);
  started = await startProcess({ dataDir: folder, settings: { DOWEL_TRUST: keyHost.trust } });
});

afterEach(async () => {
  started.child.kill('SIGTERM');
  await started.closed;
  await keyHost[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const url = (path: string) => `http://127.0.0.1:${started.port}${path}`;

function install(): Promise<Response> {
  return fetch(url('/lifecycle/install'), {
    method: 'POST',
    headers: { 'content-type': 'application/jwt' },
    body: keyHost.sign('key.json', installClaims(), key),
  });
}

test.each([
  ['deleted', (path: string) => rm(path)],
  [
    'replaced by a copy',
    async (path: string) => {
      await copyFile(path, `${path}.copy`);
      await rename(`${path}.copy`, path);
    },
  ],
])(
  'D8: a database file that was %s is noticed, and nothing more is acknowledged',
  async (_, lose) => {
    expect((await install()).status).toBe(201);
    expect((await fetch(url('/readyz'))).status).toBe(200);

    await lose(join(folder, 'dowel.sqlite'));
    await vi.waitFor(
      async () => expect((await fetch(url('/readyz'))).status).toBe(503),
      patienceMs,
    );

    expect(await (await fetch(url('/readyz'))).json()).toMatchObject({
      reason: 'database_unavailable',
    });
    const answer = await install();
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('10');
    const lines = started.output.out.split('\n').filter((line) => line.includes('"database.un'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('dowel.sqlite was deleted or replaced while it was in use');
  },
);
