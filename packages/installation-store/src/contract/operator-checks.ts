/** What operators do to one installation, and the audit of it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { NewAuditEntry } from '../operators/audit-store.ts';
import type { Store } from '../store.ts';
import { begin, check, eventually, granted, newKey, uninstall } from './check.ts';
import { append, mustClaim, parked, parkedOf } from './hook-steps.ts';

const entry = (changes: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  who: randomUUID(),
  role: 'owner',
  way: 'page',
  from: '192.0.2.7',
  action: 'refresh',
  installationId: null,
  target: 'acme.example.com',
  reason: 'tenant asked for it',
  runId: null,
  ...changes,
});

const inOrder = ['ask', 'refresh', 'test', 'pause', 'resume'] as const;

/** Writes a row for each action of one person. */
async function writeRows(store: Store, who: string): Promise<void> {
  for (const action of inOrder) await store.audit.begin(entry({ who, action }));
}

async function ended(store: Store): Promise<string> {
  const key = newKey();
  const { id } = await begin(store, key, 10);
  await uninstall(store, key, 20);
  return id;
}

const refuse = (store: Store, installationId: string) =>
  store.events.recordEvent({
    installationId,
    event: 'access_token',
    receivedAt: 7,
    durationMs: 1,
    status: 402,
    reason: 'scope_missing',
  });

/** Opens a session of a user. */
async function openSession(store: Store, installationId: string, userId: string) {
  const [hash, jti] = [randomUUID(), randomUUID()];
  const session = { installationId, generation: 1, userId, instanceId: 'i', expiresAt: 10 };
  const open = (tokenHash: string) =>
    store.transaction(({ sessions }) => sessions.createPluginSession(tokenHash, session, jti));
  assert.equal(await open(hash), 'opened');
  return { hash, openAgain: () => open(randomUUID()) };
}

export const operatorChecks = [
  check('a user is erased from the sessions, whose init JWTs stay used', async (context) => {
    const { store, other, dump } = context;
    const [here, elsewhere] = [await begin(store), await begin(store)];
    const [userId, bystander] = [randomUUID(), randomUUID()];
    const first = await openSession(store, here.id, userId);
    const second = await openSession(store, elsewhere.id, userId);
    const kept = await openSession(store, here.id, bystander);
    const find = async ({ hash }: { hash: string }) =>
      Promise.all([store, other].map((each) => each.sessions.findPluginSession(hash, 9)));
    for (const each of [first, second, kept]) assert.ok((await find(each)).every(Boolean));

    assert.equal(await store.operators.eraseUser({ userId, tenantId: randomUUID() }), 0);
    const { tenantId } = here;
    assert.equal(await store.operators.eraseUser({ userId, tenantId }), 1);

    await eventually(async () => assert.deepEqual(await find(first), [undefined, undefined]));
    assert.ok((await find(second)).every(Boolean));
    assert.equal(await other.operators.eraseUser({ userId }), 1);
    await eventually(async () => assert.deepEqual(await find(second), [undefined, undefined]));
    assert.ok((await find(kept)).every(Boolean));
    assert.equal(await first.openAgain(), 'replayed');
    const text = await dump();
    assert.equal(text.includes(userId), false);
    assert.equal(text.includes(bystander), true);
    assert.equal(await store.operators.eraseUser({ userId }), 0);
  }),

  check('a user has one fingerprint in every process, which does not contain the id', async (c) => {
    const [userId, another] = [randomUUID(), randomUUID()];
    const fingerprint = c.store.operators.fingerprintOf(userId);

    assert.equal(c.other.operators.fingerprintOf(userId), fingerprint);
    assert.notEqual(c.store.operators.fingerprintOf(another), fingerprint);
    assert.equal(fingerprint.includes(userId), false);
    assert.match(fingerprint, /^[0-9a-f]{8}\.[\w-]{22}$/);
  }),

  check('a row of the audit is there before its result, which is written once', async (c) => {
    const { store, other } = c;
    const who = randomUUID();
    const id = await store.audit.begin(entry({ who }));
    const rows = async () => (await other.audit.list({ who, limit: 10 })).entries;
    assert.equal((await rows())[0]?.result, 'begun');

    await store.audit.end(id, { result: 'refused', detail: 'It is paused.' });
    await other.audit.end(id, { result: 'done', detail: null });

    const [row] = await rows();
    assert.equal(row?.result, 'refused');
    assert.equal(row?.detail, 'It is paused.');
    assert.equal(row?.from, '192.0.2.7');
    assert.ok((row?.at ?? 0) > 0);
  }),

  check(
    'a row of the audit keeps what its detail means, if this version knows it',
    async ({ store }) => {
      const who = randomUUID();
      const meaning = { kind: 'erased', count: 4 } as const;
      const ofNewer = { kind: 'teleported', to: 'Mars' } as never;
      const endings = [{ meaning }, {}, { meaning: ofNewer }];
      for (const ending of endings) {
        const id = await store.audit.begin(entry({ who }));
        await store.audit.end(id, { result: 'done', detail: 'In English.', ...ending });
      }

      const { entries } = await store.audit.list({ who, limit: 10 });

      assert.deepEqual(
        entries.map((row) => [row.detail, row.meaning]).toReversed(),
        [meaning, null, null].map((each) => ['In English.', each]),
      );
    },
  ),

  check('the audit has pages, the newest first, and filters', async ({ store }) => {
    const who = randomUUID();
    await writeRows(store, who);

    const first = await store.audit.list({ who, limit: 3 });
    const second = await store.audit.list({ who, limit: 3, after: first.next ?? '' });

    const actions = [...first.entries, ...second.entries].map(({ action }) => action);
    assert.deepEqual(actions, inOrder.toReversed());
    assert.equal(second.next, null);
    const only = await store.audit.list({ who, action: 'test', limit: 3 });
    assert.equal(only.entries.length, 1);
    const at = only.entries[0]?.at ?? 0;
    assert.equal((await store.audit.list({ who, until: at - 60_000, limit: 3 })).entries.length, 0);
    assert.equal((await store.audit.list({ who, since: at + 60_000, limit: 3 })).entries.length, 0);
    assert.equal((await store.audit.list({ who, result: 'done', limit: 3 })).entries.length, 0);
    await assert.rejects(store.audit.list({ after: 'x', limit: 3 }), { code: 'CURSOR_INVALID' });
  }),

  check('an operator ends all sessions of one installation', async ({ store, other }) => {
    const { id: installationId } = await begin(store);
    const bystander = await begin(store);
    const open = async (of: string): Promise<string> => {
      const hash = randomUUID();
      const session = { installationId: of, generation: 1, userId: 'u', instanceId: 'i' };
      await store.transaction(({ sessions }) =>
        sessions.createPluginSession(hash, { ...session, expiresAt: 100 }, randomUUID()),
      );
      return hash;
    };
    const hashes = [await open(installationId), await open(installationId)];
    const kept = await open(bystander.id);

    assert.equal(await store.operators.endSessions(installationId, 50), 2);
    assert.equal(await store.operators.endSessions(installationId, 50), 0);

    for (const hash of hashes) {
      assert.equal(await other.sessions.findPluginSession(hash, 50), undefined);
    }
    assert.ok(await other.sessions.findPluginSession(kept, 50));
  }),

  check('only a tombstone of some age is purged, and its audit stays', async ({ store, dump }) => {
    const { installation } = await granted(store);
    assert.equal(await store.operators.purge(installation.id, 0), false);
    const id = await ended(store);
    await store.events.recordEvent({
      installationId: id,
      event: 'install',
      receivedAt: 1,
      durationMs: 1,
      status: 201,
      reason: null,
    });
    const who = randomUUID();
    await store.audit.begin(entry({ who, installationId: id }));
    assert.equal(await store.operators.purge(id, 3_600_000), false);

    assert.equal(await store.operators.purge(id, 0), true);
    assert.equal(await store.operators.purge(id, 0), false);

    assert.equal(await store.installations.get(id), undefined);
    assert.equal((await store.audit.list({ who, limit: 1 })).entries[0]?.installationId, id);
    assert.ok((await dump()).includes(id), 'the audit names it');
  }),

  check('a purge takes parked hook deliveries with it', async ({ store }) => {
    const key = newKey();
    const installation = await begin(store, key, 10);
    await append(store, installation);
    await store.hooks.settle(await mustClaim(store, installation), parked);
    await uninstall(store, key, 20);

    assert.equal(await store.operators.purge(installation.id, 0), true);

    assert.deepEqual(await parkedOf(store, installation), []);
  }),

  check('a dropped hook delivery is neither parked nor replayed', async ({ store, other }) => {
    const installation = await begin(store);
    const { id } = await append(store, installation);
    assert.equal(await store.hooks.drop(id), false);
    await store.hooks.settle(await mustClaim(store, installation), parked);

    assert.equal(await other.hooks.drop(id), true);
    assert.equal(await other.hooks.drop(id), false);
    assert.equal(await other.hooks.drop('no id'), false);

    assert.deepEqual(await parkedOf(store, installation), []);
    assert.equal(await store.hooks.replay(id), 'superseded');
  }),

  check('only the refused install that an operator saw is marked', async ({ store, other }) => {
    const key = newKey();
    const { id, generation } = await begin(store, key, 10);
    const { acknowledge } = store.operators;
    assert.equal(await acknowledge(id, generation), false);
    await refuse(store, id);
    assert.equal(await acknowledge(id, generation), false);
    await uninstall(store, key, 20);
    const next = await begin(store, key, 30);
    assert.equal(next.id, id);
    assert.equal(next.generation, generation + 1);

    assert.equal(await acknowledge(id, generation), false);

    await refuse(store, id);
    await uninstall(store, key, 40);
    assert.equal((await other.operators.find(id))?.isAcknowledged, false);
    assert.equal((await other.reports.readRows([id]))[0]?.condition, 'refused');
    assert.equal(await acknowledge(id, generation), false);
    assert.equal(await acknowledge(id, next.generation), true);
    assert.equal((await other.reports.readRows([id]))[0]?.condition, 'uninstalled');
    assert.equal(await acknowledge(id, next.generation), false);
  }),

  check('a name, notes and a keeping are written once', async ({ store, other }) => {
    const key = newKey();
    const { id } = await begin(store, key, 10);
    await uninstall(store, key, 20);
    const { operators } = store;

    assert.equal(await operators.describe(id, { name: 'Acme', notes: 'calls at night' }), true);
    assert.equal(await operators.describe(id, { name: 'Acme' }), false);
    assert.equal(await operators.keepUntil(id, 5_000), true);
    assert.equal(await operators.keepUntil(id, 5_000), false);

    const found = await other.operators.find(id);
    assert.equal(found?.name, 'Acme');
    assert.equal(found?.notes, 'calls at night');
    assert.equal(found?.keptUntil, 5_000);
    assert.equal(await operators.keepUntil((await begin(store)).id, 5_000), false);
    assert.equal(await operators.find(randomUUID()), undefined);
  }),
];
