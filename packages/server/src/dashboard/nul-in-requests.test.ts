/** A NUL in a request: PostgreSQL takes no such text, so it must not reach a database. */
import { testDatabases } from '@dowel/installation-store/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startWorld } from '../testing/start-world.ts';

const reason = 'tenant asked for it';
const id = '00000000-0000-4000-8000-000000000000';
const hook = `/installations/${id}/actions`;

const requests: [string, number, string, object?][] = [
  ['a sign-in', 400, '/session/password', { name: 'a\0da', password: 'four words will do' }],
  ['the audit of a person', 400, '/audit?who=a%00da'],
  ['the audit of an action', 400, '/audit?action=a%00'],
  ['the audit of an installation', 400, '/audit?installationId=a%00'],
  ['the audit of a run', 400, '/audit?runId=a%00'],
  ['the events of an installation', 400, '/deliveries?installationId=a%00'],
  ['the events of a reason', 400, '/deliveries?reason=a%00'],
  ['an event', 404, '/deliveries/a%00'],
  ['a hook to replay', 400, `${hook}/replay-hook`, { reason, hookId: 'a\0-1' }],
  ['a hook to drop', 400, `${hook}/drop-hook`, { reason, hookId: 'a\0-1' }],
  ['the installations of a run', 400, '/runs', { action: 'pause', reason, ids: ['a\0'] }],
  ['an action', 404, '/installations/a%00/actions/pause', { reason }],
  ['a run', 404, '/runs/a%00'],
  ['an installation', 404, '/fleet/installations/a%00'],
  ['a timeline', 404, '/fleet/installations/a%00/timeline'],
  ['a session', 404, '/sessions/a%00/end', { reason }],
  ['an account', 404, '/accounts/a%00/remove', { reason }],
];

for (const database of testDatabases) {
  describe.skipIf(!database.isAvailable)(`a NUL on ${database.name}`, () => {
    test('is refused in every text that a store would read', async () => {
      const world = await startWorld({ database });
      onTestFinished(() => world[Symbol.asyncDispose]());
      const headers = { cookie: await world.signIn(), 'x-dowel-csrf': '1' };
      const answers: [string, number][] = [];

      for (const [name, , path, body] of requests) {
        const url = `/admin/api${path}`;
        const { status } = await (body
          ? world.post(url, body, headers)
          : fetch(`${world.url}${url}`, { headers }));
        answers.push([name, status]);
      }

      expect(answers).toEqual(requests.map(([name, status]) => [name, status]));
      expect(await world.store.accounts.listAccounts()).toEqual([]);
    });
  });
}
