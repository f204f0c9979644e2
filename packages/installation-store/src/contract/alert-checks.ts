/** Alerts: they open once, recover once, and each message is sent by one process until it has arrived. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AlertFacts, AlertRule } from '@dowel/schema';
import type { AlertEvaluation, AlertNews, NewAlertMessage } from '../alert-store.ts';
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
  recoverAfterMs: 5 * minute,
  remindAfterMs: 240 * minute,
  isMute: false,
});

const kinds = (news: AlertNews[]) => news.map(({ kind, alert }) => `${kind} ${alert.subject}`);

async function evaluate(store: Store, evaluation: AlertEvaluation): Promise<string[]> {
  return kinds(await store.alerts.evaluate(evaluation));
}

async function openAlert(store: Store, subject: string): Promise<void> {
  await evaluate(store, seen(subject, 1));
  assert.deepEqual(await evaluate(store, seen(subject, 1)), [`opened ${subject}`]);
}

/** Ends what the check began, so that the next one finds nothing. */
async function recover(store: Store, shiftClock: (ms: number) => Promise<void>): Promise<void> {
  await evaluate(store, seen('', 0));
  await shiftClock(90 * minute);
  await evaluate(store, seen('', 0));
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
  check(
    'an alert opens at the second evaluation, is reported once, and has a reminder later',
    async (c) => {
      const subject = randomUUID();
      assert.deepEqual(await evaluate(c.store, seen(subject, 1)), []);
      assert.deepEqual(await evaluate(c.other, seen(subject, 2)), [`opened ${subject}`]);
      await c.shiftClock(239 * minute);
      assert.deepEqual(await evaluate(c.store, seen(subject, 1)), []);
      await c.shiftClock(minute);
      assert.deepEqual(await evaluate(c.store, seen(subject, 1)), [`reminder ${subject}`]);

      const { open } = await c.other.alerts.report();
      const alert = open.find((each) => each.subject === subject);
      assert.equal(alert?.peak, 2);
      assert.equal(alert?.facts.count, 1);
      assert.equal(alert?.tellings, 2);
      await recover(c.store, c.shiftClock);
      await c.shiftClock(-330 * minute);
    },
  ),

  check('an alert has its reminders also after the clock was set back', async (c) => {
    const subject = randomUUID();
    await openAlert(c.store, subject);
    await c.shiftClock(-600 * minute);

    assert.deepEqual(await evaluate(c.store, seen(subject, 1)), [`reminder ${subject}`]);
    assert.deepEqual(await evaluate(c.other, seen(subject, 1)), []);
    await c.shiftClock(240 * minute);
    assert.deepEqual(await evaluate(c.store, seen(subject, 1)), [`reminder ${subject}`]);
    await recover(c.store, c.shiftClock);
    await c.shiftClock(270 * minute);
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
    await c.shiftClock(-90 * minute);
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
    await c.shiftClock(-90 * minute);
  }),

  check('an alert that flaps recovers later each time', async (c) => {
    const subject = randomUUID();
    const needed: number[] = [];
    let moved = 0;
    for (let round = 0; round < 5; round += 1) {
      await openAlert(c.store, subject);
      await evaluate(c.store, seen(subject, 0));
      let minutes = 0;
      let told: string[] = [];
      while (told.length === 0 && minutes < 100) {
        await c.shiftClock(5 * minute);
        minutes += 5;
        told = await evaluate(c.store, seen(subject, 0));
      }
      needed.push(minutes);
      moved += minutes;
    }
    assert.deepEqual(needed, [5, 10, 20, 40, 60]);
    await c.shiftClock(-moved * minute);
  }),

  check('an alert that got much worse is reported again before its reminder', async (c) => {
    const subject = randomUUID();
    await openAlert(c.store, subject);
    assert.deepEqual(await evaluate(c.store, seen(subject, 9)), []);
    await c.shiftClock(15 * minute);
    assert.deepEqual(await evaluate(c.store, seen(subject, 3)), []);
    assert.deepEqual(await evaluate(c.store, seen(subject, 4)), [`reminder ${subject}`]);
    assert.deepEqual(await evaluate(c.store, seen(subject, 9)), []);
    await recover(c.store, c.shiftClock);
    await c.shiftClock(-105 * minute);
  }),

  check('nothing is reported about a silenced alert until the silence ends', async (c) => {
    const subject = randomUUID();
    const silence = { rule: 'key_unreadable', subject, by: 'ada', reason: 'Known' } as const;
    await c.store.alerts.silence({ ...silence, forMs: 60 * minute });
    await evaluate(c.other, seen(subject, 1));
    assert.deepEqual(await evaluate(c.other, seen(subject, 1)), []);
    const { silences, open } = await c.other.alerts.report();
    const held = silences.find((each) => each.subject === subject);
    assert.deepEqual([held?.by, held?.reason], ['ada', 'Known']);
    assert.ok(open.some((each) => each.subject === subject));
    await c.shiftClock(60 * minute);
    assert.deepEqual(await evaluate(c.other, seen(subject, 1)), [`opened ${subject}`]);

    await c.store.alerts.silence({ ...silence, forMs: 600 * minute });
    await c.shiftClock(240 * minute);
    assert.deepEqual(await evaluate(c.other, seen(subject, 1)), []);
    assert.equal(await c.other.alerts.endSilence('key_unreadable', subject), true);
    assert.equal(await c.other.alerts.endSilence('key_unreadable', subject), false);
    assert.deepEqual(await evaluate(c.other, seen(subject, 1)), [`reminder ${subject}`]);
    await recover(c.store, c.shiftClock);
    await c.shiftClock(-390 * minute);
  }),

  check('if no message about the opening was sent, none is sent about the recovery', async (c) => {
    const subject = randomUUID();
    const mute = (count: number) => ({ ...seen(subject, count), isMute: true });
    await evaluate(c.store, mute(1));
    await evaluate(c.store, mute(1));
    assert.deepEqual(await evaluate(c.store, seen(subject, 0)), []);
    await c.shiftClock(5 * minute);
    assert.deepEqual(await evaluate(c.store, seen(subject, 0)), []);
    await c.shiftClock(-5 * minute);
  }),

  check('without a channel an opening and a recovery are reported once, for the log', async (c) => {
    const subject = randomUUID();
    const mute = (count: number) => ({ ...seen(subject, count), isMute: true });
    assert.deepEqual(await evaluate(c.store, mute(1)), []);
    assert.deepEqual(await evaluate(c.store, mute(1)), [`opened ${subject}`]);
    assert.deepEqual(await evaluate(c.store, mute(1)), []);
    assert.deepEqual(await evaluate(c.store, seen(subject, 1)), [`opened ${subject}`]);
    assert.deepEqual(await evaluate(c.store, mute(0)), []);
    await c.shiftClock(60 * minute);
    assert.deepEqual(await evaluate(c.store, mute(0)), [`recovered ${subject}`]);
    await c.shiftClock(-60 * minute);
  }),

  check('rules that were not looked at leave their alerts as they are', async (c) => {
    const subject = randomUUID();
    await openAlert(c.store, subject);
    await evaluate(c.store, seen('', 0, 'refused_burst'));
    await c.shiftClock(90 * minute);
    assert.deepEqual(await evaluate(c.store, seen('', 0, 'refused_burst')), []);
    assert.ok((await c.store.alerts.report()).open.some((each) => each.subject === subject));
    await recover(c.store, c.shiftClock);
    await c.shiftClock(-180 * minute);
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
    const reminder = message({ kind: 'reminder', alertId: opened.alertId });
    const other = message();
    await c.store.alerts.add([reminder, recovered, other]);

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

  check('a message that was held is claimed by its id, or later by any process', async (c) => {
    const test = message({ kind: 'test', alertId: null, dueInMs: minute });
    const left = message({ kind: 'test', alertId: null, dueInMs: minute });
    await c.store.alerts.add([test, left]);
    assert.equal(await c.other.alerts.claim('mail', minute), undefined);
    const claimed = await c.store.alerts.claim('mail', minute, test.id);
    assert.ok(claimed);
    await c.store.alerts.settle(claimed, { state: 'failed', ...answered500 });
    await c.shiftClock(minute);
    const found = await c.other.alerts.claim('mail', minute);
    assert.equal(found?.id, left.id);
    await c.other.alerts.settle(found, { state: 'delivered' });
    await c.shiftClock(-minute);
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
