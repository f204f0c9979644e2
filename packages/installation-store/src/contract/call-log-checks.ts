/** The log of calls: what is kept, found and grouped. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '../store.ts';
import type { LoggedCall } from '../stores/call-log.ts';
import type { Installation } from '../stores/find-installation.ts';
import { check, granted } from './check.ts';

const minute = 60_000;

const logged = (
  { id: installationId }: Pick<Installation, 'id'>,
  changes: Partial<LoggedCall> = {},
): LoggedCall => ({
  id: randomUUID(),
  installationId,
  count: 1,
  firstMs: 0,
  lastMs: 0,
  operation: 'listThings',
  method: 'GET',
  path: '/things/{id}',
  host: 'api.example.com',
  status: 503,
  reason: 'platform_5xx',
  fault: null,
  durationMs: 12,
  attempts: 1,
  requestId: 'r-1',
  userId: 'u-1',
  answer: 'Down',
  ...changes,
});

const query = { limit: 50, outcome: 'all' } as const;

async function list(store: Store, { id }: Installation, changes: object = {}) {
  const found = await store.reports.listCalls({ ...query, installationId: id, ...changes });
  return found.calls.map((call) => call.path);
}

export const callLogChecks = [
  check('a logged call is found with all that was stored of it', async ({ store, other }) => {
    const { installation } = await granted<Installation>(store);
    const call = logged(installation, { count: 3, firstMs: 5_000 });
    await store.calls.log([call]);
    // As after an answer of the database that was lost.
    await store.calls.log([call]);

    const { calls, next } = await other.reports.listCalls({
      ...query,
      installationId: installation.id,
    });

    const { installationId: _, firstMs: __, lastMs: ___, ...stored } = call;
    assert.equal(calls.length, 1);
    assert.equal(next, null);
    const { installation: of, firstAt, lastAt, ...found } = { ...calls[0] };
    assert.deepEqual(found, stored);
    assert.deepEqual(of, {
      id: installation.id,
      name: '',
      host: 'acme.example.com',
      tenantId: installation.tenantId,
      pluginId: installation.pluginId,
    });
    assert.equal((lastAt ?? 0) - (firstAt ?? 0), 5_000);
  }),

  check('calls are listed page by page, the latest first', async ({ store }) => {
    const { installation } = await granted<Installation>(store);
    const ages = [4, 2, 2, 2, 1, 3];
    await store.calls.log(
      ages.map((age) => logged(installation, { path: `/${age}`, lastMs: age * minute })),
    );

    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.reports.listCalls({
        ...query,
        limit: 2,
        installationId: installation.id,
        ...(after !== undefined && { after }),
      });
      seen.push(...page.calls.map(({ path }) => path));
      after = page.next ?? undefined;
    } while (after !== undefined);

    assert.deepEqual(seen, ['/1', '/2', '/2', '/2', '/3', '/4']);
  }),

  check('calls are found by what they met, when and where', async ({ store }) => {
    const { installation } = await granted<Installation>(store);
    const lost = { reason: 'platform_unreachable', status: null, fault: 'ECONNRESET' } as const;
    const before = await now(store);
    await store.calls.log([
      logged(installation, { path: '/fine', status: 200, reason: null }),
      logged(installation, { path: '/lost', ...lost }),
      logged(installation, { path: '/old', lastMs: 10 * minute, host: 'other.example.com' }),
    ]);
    const find = async (changes: object) => (await list(store, installation, changes)).toSorted();

    assert.deepEqual(await find({}), ['/fine', '/lost', '/old']);
    assert.deepEqual(await find({ outcome: 'failed' }), ['/lost', '/old']);
    assert.deepEqual(await find({ reason: 'platform_5xx', status: 503 }), ['/old']);
    assert.deepEqual(await find({ fault: 'ECONNRESET' }), ['/lost']);
    assert.deepEqual(await find({ host: 'other.example.com' }), ['/old']);
    assert.deepEqual(await find({ since: before - minute }), ['/fine', '/lost']);
    assert.deepEqual(await find({ until: before - minute }), ['/old']);
    const { pluginId } = installation;
    assert.equal((await store.reports.listCalls({ ...query, pluginId })).calls.length, 3);
    assert.equal(
      (await store.reports.listCalls({ ...query, pluginId: randomUUID() })).calls.length,
      0,
    );
  }),

  check('failed calls are counted by reason and by host', async ({ store }) => {
    const one = (await granted<Installation>(store)).installation;
    const two = (await granted<Installation>(store)).installation;
    const since = (await now(store)) - minute;
    const lost = { reason: 'platform_unreachable', status: null, fault: 'EPIPE' } as const;
    const host = `${randomUUID()}.example.com`;
    await store.calls.log([
      logged(one, { ...lost, host, count: 400 }),
      logged(two, { ...lost, host, count: 12 }),
      logged(two, { host, status: 599 }),
      logged(two, { host, reason: null, status: 200 }),
    ]);

    const { reasons, hosts } = await store.reports.groupCalls({ since });

    const group = reasons.find(({ fault }) => fault === 'EPIPE');
    assert.deepEqual(
      { ...group, firstAt: 0, lastAt: 0 },
      { ...lost, calls: 412, installations: 2, firstAt: 0, lastAt: 0 },
    );
    assert.equal(reasons.find(({ status }) => status === 599)?.calls, 1);
    const ofHost = hosts.find((each) => each.host === host);
    assert.deepEqual(
      { ...ofHost, firstAt: 0, lastAt: 0 },
      { host, calls: 413, installations: 2, firstAt: 0, lastAt: 0 },
    );

    const own = await store.reports.groupCalls({ installationId: one.id });
    assert.deepEqual(
      own.reasons.map(({ calls }) => calls),
      [400],
    );
  }),

  check('a call of an installation that does not exist is left out', async ({ store }) => {
    const { installation } = await granted<Installation>(store);
    await store.calls.log([logged({ id: randomUUID() }), logged(installation)]);
    assert.equal((await list(store, installation)).length, 1);
  }),

  check('erasing a user takes him out of the log', async ({ store, other, dump }) => {
    const { installation } = await granted<Installation>(store);
    const userId = randomUUID();
    await store.calls.log([
      logged(installation, { userId, answer: 'Nobody is called Ada' }),
      logged(installation),
    ]);

    assert.equal(await store.operators.eraseUser({ userId, tenantId: randomUUID() }), 0);
    assert.equal(await other.operators.eraseUser({ userId, tenantId: installation.tenantId }), 1);

    const stored = await dump();
    assert.ok(!stored.includes(userId) && !stored.includes('Nobody is called Ada'));
    assert.equal((await list(store, installation)).length, 2);
  }),
];

/** The database's clock. */
async function now(store: Store): Promise<number> {
  const { installation } = await granted<Installation>(store);
  await store.calls.log([logged(installation, { reason: null })]);
  const { calls } = await store.reports.listCalls({ ...query, installationId: installation.id });
  return calls[0]?.lastAt ?? 0;
}
