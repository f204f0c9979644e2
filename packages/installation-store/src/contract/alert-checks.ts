/** Alerts: they open once, recover once, and each message is sent by one process until it has arrived. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AlertFacts, AlertRule } from '@dowel/admin-api';
import type { NewAlertMessage } from '../alerts/alert-messages.ts';
import type { AlertFinding } from '../alerts/evaluate-alerts.ts';
import type { Store } from '../store.ts';
import { check, minute } from './check.ts';

const facts = (count: number): AlertFacts => ({
  count,
  isAtLeast: false,
  of: null,
  limit: null,
  worst: [],
});

/** Each check has its own subject. @param count how many are wrong; 0: none. */
const seen = (subject: string, count: number, rule: AlertRule = 'key_unreadable') => ({
  rules: [rule],
  findings: count === 0 ? [] : [{ rule, subject, since: null, facts: facts(count) }],
});

async function evaluate(
  { alerts }: Store,
  { rules, findings }: { rules: AlertRule[]; findings: AlertFinding[] },
): Promise<string[]> {
  const news = await alerts.evaluate(rules, findings);
  return news.map(({ kind, alert }) => `${kind} ${alert.subject}`);
}

async function openAlert(store: Store, subject: string): Promise<void> {
  await evaluate(store, seen(subject, 1));
  assert.deepEqual(await evaluate(store, seen(subject, 1)), [`opened ${subject}`]);
}

/** Ends what the check began, so that the next one finds nothing. */
async function recover(store: Store, shiftClock: (ms: number) => Promise<void>): Promise<void> {
  await evaluate(store, seen('', 0));
  await shiftClock(5 * minute);
  await evaluate(store, seen('', 0));
  await shiftClock(-5 * minute);
}

const answered500 = {
  error: 'It answered 500.',
  answer: { kind: 'answered', status: 500, code: null },
} as const;

const message = (changes: Partial<NewAlertMessage> = {}): NewAlertMessage => ({
  id: `msg_${randomUUID()}`,
  kind: 'opened',
  alertId: randomUUID(),
  channel: 'mail',
  body: '{}',
  ...changes,
});

export const alertChecks = [
  check('an alert opens at the second evaluation, and is reported once', async (c) => {
    const subject = randomUUID();
    assert.deepEqual(await evaluate(c.store, seen(subject, 1)), []);
    assert.deepEqual(await evaluate(c.other, seen(subject, 2)), [`opened ${subject}`]);
    await c.shiftClock(24 * 60 * minute);
    assert.deepEqual(await evaluate(c.store, seen(subject, 1)), []);

    const { open } = await c.other.alerts.report();
    const alert = open.find((each) => each.subject === subject);
    assert.deepEqual([alert?.peak, alert?.facts.count], [2, 1]);
    await recover(c.store, c.shiftClock);
    await c.shiftClock(-24 * 60 * minute);
  }),

  check('a rule that was true once is never reported', async (c) => {
    const subject = randomUUID();
    assert.deepEqual(await evaluate(c.store, seen(subject, 1)), []);
    assert.deepEqual(await evaluate(c.store, seen(subject, 0)), []);
    assert.deepEqual(await evaluate(c.store, seen(subject, 1)), []);
    const { open } = await c.store.alerts.report();
    assert.equal(open.filter((each) => each.subject === subject).length, 0);
    await evaluate(c.store, seen(subject, 0));
  }),

  check('two evaluations at the same time report once', async (c) => {
    const subject = randomUUID();
    await evaluate(c.store, seen(subject, 1));
    const stores = Array.from({ length: 12 }, (_, index) => (index % 2 ? c.other : c.store));
    const told = await Promise.all(stores.map((store) => evaluate(store, seen(subject, 1))));
    assert.deepEqual(told.flat(), [`opened ${subject}`]);
    await recover(c.store, c.shiftClock);
  }),

  check('a recovery is reported once, after the rule was false for some time', async (c) => {
    const subject = randomUUID();
    await openAlert(c.store, subject);
    assert.deepEqual(await evaluate(c.store, seen(subject, 0)), []);
    await c.shiftClock(4 * minute);
    assert.deepEqual(await evaluate(c.store, seen(subject, 1)), []);
    assert.deepEqual(await evaluate(c.store, seen(subject, 0)), []);
    await c.shiftClock(4 * minute);
    assert.deepEqual(await evaluate(c.store, seen(subject, 0)), []);
    await c.shiftClock(minute);
    assert.deepEqual(await evaluate(c.other, seen(subject, 0)), [`recovered ${subject}`]);
    assert.deepEqual(await evaluate(c.store, seen(subject, 0)), []);
    const { recent } = await c.store.alerts.report();
    assert.ok(recent.some((each) => each.subject === subject && each.recoveredAt !== null));
    await c.shiftClock(-9 * minute);
  }),

  check('an open alert says since when its rule has been false', async (c) => {
    const subject = randomUUID();
    const clearSinceOf = async () => {
      const { open } = await c.store.alerts.report();
      return open.find((each) => each.subject === subject)?.clearSince;
    };
    await openAlert(c.store, subject);
    assert.equal(await clearSinceOf(), null);
    await evaluate(c.store, seen(subject, 0));
    const clearSince = await clearSinceOf();
    assert.equal(typeof clearSince, 'number');
    await c.shiftClock(minute);
    await evaluate(c.store, seen(subject, 0));
    assert.equal(await clearSinceOf(), clearSince);
    await evaluate(c.store, seen(subject, 1));
    assert.equal(await clearSinceOf(), null);
    await c.shiftClock(-minute);
    await recover(c.store, c.shiftClock);
  }),

  check('a rule that comes and goes keeps one alert open, with one message', async (c) => {
    const subject = randomUUID();
    await openAlert(c.store, subject);
    const reported: string[] = [];
    for (let minutes = 0; minutes < 60; minutes += 1) {
      await c.shiftClock(minute);
      reported.push(...(await evaluate(c.store, seen(subject, minutes % 2))));
    }
    assert.deepEqual(reported, []);
    await recover(c.store, c.shiftClock);
    await c.shiftClock(-60 * minute);
  }),

  check('an alert recovers also after the clock was set back', async (c) => {
    const subject = randomUUID();
    await openAlert(c.store, subject);
    await evaluate(c.store, seen(subject, 0));
    await c.shiftClock(-600 * minute);
    assert.deepEqual(await evaluate(c.store, seen(subject, 0)), []);
    await c.shiftClock(5 * minute);
    assert.deepEqual(await evaluate(c.store, seen(subject, 0)), [`recovered ${subject}`]);
    await c.shiftClock(595 * minute);
  }),

  check('rules that were not looked at leave their alerts as they are', async (c) => {
    const subject = randomUUID();
    await openAlert(c.store, subject);
    await evaluate(c.store, seen('', 0, 'refused_burst'));
    await c.shiftClock(90 * minute);
    assert.deepEqual(await evaluate(c.store, seen('', 0, 'refused_burst')), []);
    assert.ok((await c.store.alerts.report()).open.some((each) => each.subject === subject));
    await recover(c.store, c.shiftClock);
    await c.shiftClock(-90 * minute);
  }),

  check('a message has one sender at a time, and is due again when the lease ends', async (c) => {
    const sent = message();
    await c.store.alerts.add([sent]);
    const claims = await Promise.all(
      [c.store, c.other, c.store, c.other].map(({ alerts }) => alerts.claim('mail', minute)),
    );
    const [first, ...others] = claims.filter((claim) => claim !== undefined);
    assert.equal(first?.id, sent.id);
    assert.deepEqual(others, []);

    await c.shiftClock(minute);
    const second = await c.other.alerts.claim('mail', minute);

    assert.deepEqual([second?.id, second?.attempts], [sent.id, 2]);
    assert.equal(await c.store.alerts.settle(first, { state: 'delivered' }), false);
    assert.ok(second && (await c.other.alerts.settle(second, { state: 'delivered' })));
    assert.equal(await c.store.alerts.claim('mail', minute), undefined);
    await c.shiftClock(-minute);
  }),

  check('messages about one alert keep their order in a channel', async (c) => {
    const opened = message();
    await c.store.alerts.add([opened]);
    const claimed = await c.store.alerts.claim('mail', minute);
    assert.ok(claimed);
    const retry = { state: 'waiting', ...answered500, retryInMs: 10 * minute } as const;
    await c.store.alerts.settle(claimed, retry);
    await c.shiftClock(minute);
    const recovered = message({ kind: 'recovered', alertId: opened.alertId });
    const other = message();
    await c.store.alerts.add([recovered, other]);

    const next = await c.other.alerts.claim('mail', minute);
    assert.equal(next?.id, other.id);
    await c.other.alerts.settle(next, { state: 'delivered' });
    assert.equal(await c.other.alerts.claim('mail', minute), undefined);
    const { channels } = await c.store.alerts.report();
    assert.equal(channels.find(({ channel }) => channel === 'mail')?.waiting, 2);

    await c.shiftClock(10 * minute);
    for (const id of [opened.id, recovered.id]) {
      const each = await c.other.alerts.claim('mail', minute);
      assert.equal(each?.id, id);
      await c.other.alerts.settle(each, { state: 'delivered' });
    }
    await c.shiftClock(-11 * minute);
  }),

  check('a message that no process can send is given up after a day', async (c) => {
    await c.store.alerts.add([message({ channel: 'webhook' })]);
    await c.shiftClock(26 * 60 * minute);

    await evaluate(c.store, seen('', 0));

    assert.equal(await c.store.alerts.claim('webhook', minute), undefined);
    const { channels } = await c.store.alerts.report();
    const { last } = channels.find(({ channel }) => channel === 'webhook') ?? {};
    assert.equal(last?.state, 'failed');
    assert.match(last?.lastError ?? '', /No process/);
    await c.shiftClock(-26 * 60 * minute);
  }),
];
