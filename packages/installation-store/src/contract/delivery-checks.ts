/** Deliveries and counts of refusals, stored by several processes. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { DeliveriesQuery } from '@dowel/admin-api';
import { keptDeliveries, type NewDelivery, type RefusalCount } from '../stores/delivery-store.ts';
import { type ContractContext, check, newKey } from './check.ts';

const hour = 3_600_000;
/** Each check has its own days. */
const day = (number: number) => number * 24 * hour;

const counted = (changes: Partial<RefusalCount> & { hourAt: number }): RefusalCount => ({
  reason: 'signature_invalid',
  count: 1,
  firstAt: changes.hourAt + 10,
  lastAt: changes.hourAt + 20,
  ...changes,
});

const delivered = (at: number, changes: Partial<NewDelivery> = {}): NewDelivery => ({
  id: randomUUID(),
  at,
  event: 'install',
  plugin: '',
  key: null,
  host: 'acme.example.com',
  isVerified: false,
  status: 400,
  reason: 'signature_invalid',
  isRepeat: false,
  durationMs: 3,
  offBySeconds: null,
  sender: '192.0.2.7',
  requestId: 'request',
  body: '{"code":401}',
  claims: [{ name: 'sub', value: 'install' }],
  ...changes,
});

/** The fields of a list's row. */
function shownOf(delivery: NewDelivery, installationId: string | null) {
  const hidden: readonly string[] = ['key', 'body', 'claims'] satisfies (keyof NewDelivery)[];
  const shown = Object.entries(delivery).filter(([name]) => !hidden.includes(name));
  return { ...Object.fromEntries(shown), installationId, name: '' };
}

/** Those of a check: each has its own days. */
const list = (c: ContractContext, at: number, query: Partial<DeliveriesQuery> = {}) =>
  c.store.reports.listDeliveries({
    limit: 200,
    order: 'newest',
    since: at,
    until: at + 24 * hour,
    ...query,
  });

export const deliveryChecks = [
  check('refusals that two processes counted add up, with their first and last time', async (c) => {
    const hourAt = day(1_100);
    await c.store.deliveries.add([], [counted({ hourAt: hourAt - hour, count: 9 })]);
    await c.store.deliveries.add([], [counted({ hourAt, count: 2, firstAt: hourAt + 5 })]);
    await c.other.deliveries.add(
      [],
      [
        counted({ hourAt, count: 3, lastAt: hourAt + 99 }),
        counted({ hourAt: hourAt + hour, reason: 'expired' }),
      ],
    );

    const reasons = await c.store.reports.reportRefusals(hourAt);

    assert.deepEqual(
      reasons.map((each) => ({ ...each })),
      [
        { reason: 'signature_invalid', count: 5, firstAt: hourAt + 5, lastAt: hourAt + 99 },
        { reason: 'expired', count: 1, firstAt: hourAt + hour + 10, lastAt: hourAt + hour + 20 },
      ],
    );
  }),

  check('processes that count the same reasons at once wait for no deadlock', async (c) => {
    const hourAt = day(1_200);
    const all = Array.from({ length: 50 }, (_, index) =>
      counted({ hourAt, reason: `reason_${index}` }),
    );

    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 ? c.store : c.other).deliveries.add([], index % 2 ? all : all.toReversed()),
      ),
    );

    const reasons = await c.store.reports.reportRefusals(hourAt);
    assert.deepEqual(new Set(reasons.map(({ count }) => count)), new Set([10]));
    assert.equal(reasons.length, 50);
  }),

  check('a delivery is listed and described as it was stored, with its installation', async (c) => {
    const at = day(1_300);
    const key = { ...newKey(), issuer: 'https://acme.example.com/t/acme' };
    const { id: installationId } = await c.store.installations.begin(key, 1, 1);
    const accepted = delivered(at + 5, {
      key,
      isVerified: true,
      status: 201,
      reason: null,
      isRepeat: true,
      offBySeconds: -3,
      body: '{}',
      claims: [
        { name: 'iat', value: 1 },
        { name: 'client.client_secret', value: null, masked: 'secret' },
      ],
    });
    const unknown = delivered(at, { key: newKey(), durationMs: null, body: null, claims: null });
    await c.other.deliveries.add([unknown, accepted]);

    const { deliveries, next } = await list(c, at);

    const expected = [
      { ...shownOf(accepted, installationId), host: 'acme.example.com/t/acme' },
      shownOf(unknown, null),
    ];
    assert.deepEqual(deliveries, expected);
    assert.equal(next, null);
    for (const [index, { id, body, claims }] of [accepted, unknown].entries()) {
      const detail = await c.store.reports.describeDelivery(id);
      assert.deepEqual(detail, { ...expected[index], body, claims });
    }
    assert.equal(await c.store.reports.describeDelivery('none'), undefined);
  }),

  check('a delivery that is stored again is stored once', async (c) => {
    const at = day(1_310);
    const one = delivered(at);
    await c.store.deliveries.add([one]);
    await c.other.deliveries.add([one, delivered(at + 1)]);

    assert.equal((await list(c, at)).deliveries.length, 2);
  }),

  check('deliveries are found by installation, event, outcome, reason and time', async (c) => {
    const at = day(1_320);
    const key = newKey();
    const { id: installationId } = await c.store.installations.begin(key, 1, 1);
    const all = [
      delivered(at, { requestId: 'forged' }),
      delivered(at + 1, { requestId: 'expired', reason: 'expired', key, event: 'access_token' }),
      delivered(at + 2, { requestId: 'accepted', reason: null, status: 201, key }),
      delivered(at + 3, { requestId: 'again', reason: null, status: 201, isRepeat: true, key }),
    ];
    await c.store.deliveries.add(all);
    const find = async (query: Partial<DeliveriesQuery>) =>
      (await list(c, at, query)).deliveries.map(({ requestId }) => requestId);

    assert.deepEqual(await find({ installationId }), ['again', 'accepted', 'expired']);
    assert.deepEqual(await find({ installationId, outcome: 'refused' }), ['expired']);
    assert.deepEqual(await find({ outcome: 'accepted' }), ['again', 'accepted']);
    assert.deepEqual(await find({ outcome: 'repeated' }), ['again']);
    assert.deepEqual(await find({ event: 'access_token' }), ['expired']);
    assert.deepEqual(await find({ reason: 'signature_invalid' }), ['forged']);
    assert.deepEqual(await find({ since: at + 1, until: at + 3 }), ['accepted', 'expired']);
    assert.deepEqual(await find({ order: 'oldest', outcome: 'refused' }), ['forged', 'expired']);
  }),

  check('the pages of a list show each delivery once, in either order', async (c) => {
    const at = day(1_330);
    // Several of one moment.
    const all = Array.from({ length: 9 }, (_, index) => delivered(at + Math.floor(index / 3)));
    await c.store.deliveries.add(all);

    for (const order of ['newest', 'oldest'] as const) {
      const seen: number[] = [];
      const ids = new Set<string>();
      let after: string | undefined;
      do {
        const page = await list(c, at, { limit: 2, order, after });
        for (const each of page.deliveries) {
          seen.push(each.at - at);
          ids.add(each.id);
        }
        after = page.next ?? undefined;
      } while (after !== undefined);
      const expected = [2, 2, 2, 1, 1, 1, 0, 0, 0];
      assert.deepEqual(seen, order === 'newest' ? expected : expected.toReversed());
      assert.equal(ids.size, 9);
    }
    await assert.rejects(list(c, at, { after: 'x' }), { code: 'CURSOR_INVALID' });
  }),

  check('a flood for one reason pushes out no other reason and no installation', async (c) => {
    const at = day(1_340);
    const key = newKey();
    await c.store.installations.begin(key, 1, 1);
    const rare = delivered(at, { reason: 'expired' });
    const own = delivered(at, { reason: 'bad_token_format', key });
    const many = Array.from({ length: 1_200 }, (_, index) =>
      delivered(at + index, { reason: 'bad_token_format' }),
    );
    await c.store.deliveries.add([rare, own, ...many.slice(0, 700)]);
    await c.other.deliveries.add(many.slice(600));

    const { deliveries } = await list(c, at);

    assert.deepEqual(
      new Set(deliveries.map(({ id }) => id)),
      new Set([rare, own, ...many.slice(-keptDeliveries.ofReason)].map(({ id }) => id)),
    );
  }),

  check('about two hundred deliveries of an installation are kept, the newest', async (c) => {
    const at = day(1_350);
    const [key, other] = [newKey(), newKey()];
    for (const each of [key, other]) await c.store.installations.begin(each, 1, 1);
    const quiet = delivered(at, { key: other });
    const many = Array.from({ length: 300 }, (_, index) =>
      // The last one cuts.
      delivered(at + 1 + index, { key, id: `${index < 299 ? 'f' : '0'}-${randomUUID()}` }),
    );
    await c.store.deliveries.add([quiet, ...many]);

    const { deliveries, next } = await list(c, at);
    assert.ok(next);
    const rest = await list(c, at, { after: next });

    const kept = [...many.slice(-keptDeliveries.ofInstallation).toReversed(), quiet];
    assert.deepEqual(
      [...deliveries, ...rest.deliveries].map(({ id }) => id),
      kept.map(({ id }) => id),
    );
  }),

  check(
    'a clock that differs is named by the installation until an event is accepted',
    async (c) => {
      const at = day(1_360);
      const key = newKey();
      const { id } = await c.store.installations.begin(key, 1, 1);
      const skewed = delivered(at, { key, reason: 'expired', offBySeconds: 412 });
      await c.store.deliveries.add([skewed, delivered(at + 1, { key, reason: 'claims_invalid' })]);

      const skew = { id: skewed.id, at, event: 'install', reason: 'expired', offBySeconds: 412 };
      assert.deepEqual((await c.store.reports.describe(id))?.clockSkew, skew);

      await c.store.deliveries.add([delivered(at + 2, { key, status: 201, reason: null })]);
      assert.equal((await c.store.reports.describe(id))?.clockSkew, null);
    },
  ),
];
