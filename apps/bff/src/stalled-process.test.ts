/** A process that gets no CPU time: row I10. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestKey, installClaims, startKeyHost } from '@dowel/server/testing';
import { expect, test } from 'vitest';
import { startProcess } from './testing/start-process.ts';

/** The status of the answer to a signed event. */
async function post(port: number, agent: Agent, jwt: string): Promise<number | undefined> {
  const headers = { 'content-type': 'application/jwt' };
  const path = '/lifecycle/install';
  const sending = request({ port, path, method: 'POST', headers, agent }).end(jwt);
  const [response] = await once(sending, 'response');
  response.resume();
  return response.statusCode;
}

test('I10: a process that was stopped for a second accepts every signed event that arrived meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-stalled-'));
  const keyHost = await startKeyHost();
  const key = createTestKey();
  keyHost.serve('key.json', key.document);
  const settings = { DOWEL_TRUST: keyHost.trust };
  const { child, port, closed } = await startProcess({ dataDir: folder, settings });
  const agent = new Agent({ keepAlive: true });
  const statuses: (number | undefined)[] = [];

  try {
    // The first round comes from an address that is not known yet.
    for (let round = 0; round < 3; round += 1) {
      child.kill('SIGSTOP');
      const events = Array.from({ length: 50 }, () =>
        post(port, agent, keyHost.sign('key.json', installClaims(), key)),
      );
      await sleep(1_000);
      child.kill('SIGCONT');
      statuses.push(...(await Promise.all(events)));
    }
  } finally {
    agent.destroy();
    child.kill('SIGTERM');
    await closed;
    await keyHost[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }

  expect(statuses).toEqual(Array(150).fill(201));
});
