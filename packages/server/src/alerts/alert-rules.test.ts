/** Each rule opens an alert and ends it. */
import { sqlite } from '@dowel/installation-store/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AlertsContext } from './alerts-context.ts';
import { startWebhookReceiver, type WebhookReceiver } from './testing/alert-receivers.ts';
import {
  type AlertWorld,
  evaluateAndSend,
  openAlert,
  startAlertWorld,
} from './testing/alert-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let world: AlertWorld;
let webhook: WebhookReceiver;

beforeEach(async () => {
  world = await startAlertWorld(sqlite);
  webhook = await startWebhookReceiver();
  return async () => {
    await world[Symbol.asyncDispose]();
    await webhook[Symbol.asyncDispose]();
  };
});

const types = () => webhook.received.map(({ message }) => message.type);
const titles = () => webhook.received.map(({ message }) => message.data.title);
const openOne = (process: AlertsContext) => openAlert(world, process);

describe('the rules', () => {
  const find = async (process: AlertsContext) => {
    await evaluateAndSend(world, [process]);
    return webhook.received.map(({ message: { data } }) => [data.rule, data.count]);
  };

  test('broken for less than the limit is no alert', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    await world.break(await world.install());
    await world.wait(13 * minuteMs);

    expect(await find(process)).toEqual([]);
  });

  test('the minutes of a failing installation count from the end of its token', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    const id = await world.install('Acme');
    await world.failRefresh(id, hourMs);
    await world.wait(hourMs + 13 * minuteMs);
    expect(await find(process)).toEqual([]);
    const [row] = await world.store.reports.readRows([id]);
    const since = new Date(row?.accessEndsAt ?? 0).toISOString();

    await world.wait(2 * minuteMs);

    expect(await find(process)).toEqual([['broken_for', 1]]);
    expect(webhook.received[0]?.message.data.worst).toMatchObject([{ name: 'Acme', since }]);
  });

  test('the minutes of failing calls count from the first that failed', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    const installationId = await world.install();
    const failing = { failures: 3, reason: 'platform_5xx', status: 500 } as const;
    const times = { sinceMs: 13 * minuteMs, lastMs: 0 };
    await world.store.calls.record('one', [
      { installationId, lastSuccessMs: null, failing: { ...failing, ...times } },
    ]);
    expect(await find(process)).toEqual([]);

    await world.wait(2 * minuteMs);

    expect(await find(process)).toEqual([['broken_for', 1]]);
  });

  test('the minutes of an install without tokens count from the install', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    await world.begin();
    await world.wait(13 * minuteMs);
    expect(await find(process)).toEqual([]);

    await world.wait(2 * minuteMs);

    expect(await find(process)).toEqual([['broken_for', 1]]);
  });

  test('a paused installation is no alert, and a resumed one is as broken as before', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    const id = await world.install();
    await world.break(id);
    await world.store.operators.pause(id, { by: 'ada', reason: 'They migrate' });
    await world.wait(15 * minuteMs);
    expect(await find(process)).toEqual([]);

    await world.store.operators.resume(id);

    expect(await find(process)).toEqual([['broken_for', 1]]);
  });

  test('the installation that is longest without access is listed first, whichever failed first', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    await world.failRefresh(await world.install('Failed first'), hourMs);
    await world.wait(minuteMs);
    await world.break(await world.install('Lost first'));
    await world.wait(2 * hourMs);

    await find(process);

    const worst = webhook.received.at(-1)?.message.data.worst;
    expect(worst?.map(({ name }) => name)).toEqual(['Lost first', 'Failed first']);
  });

  test('a share of the fleet counts from five broken installations on', async () => {
    const process = await world.startProcess({ webhook: webhook.settings, brokenPercent: 50 });
    const ids: string[] = [];
    for (let index = 0; index < 9; index += 1) ids.push(await world.install());
    for (const id of ids.slice(0, 4)) await world.break(id);
    expect(await find(process)).toEqual([]);

    await world.break(ids[4] ?? '', 'scope_missing');

    expect(await find(process)).toEqual([['broken_share', 5]]);
    expect(webhook.received[0]?.message.data).toMatchObject({
      of: 9,
      title: '5 of 9 installations are broken, more than 50 %',
      worst: [
        { name: 'invalid_grant', detail: '4 installations' },
        { name: 'scope_missing', detail: '1 installation' },
      ],
    });
  });

  test('a burst of refusals is the mean of five minutes', async () => {
    const process = await world.startProcess({ webhook: webhook.settings, refusedPerMinute: 60 });
    const rates = { refreshed: 0, refreshFailed: 0, events: 0, refused: 300, shed: 0 };
    await world.store.samples.record(rates);
    await world.wait(minuteMs);
    expect(await find(process)).toEqual([]);

    await world.store.samples.record({ ...rates, refused: 55 });
    await world.wait(minuteMs);

    expect(await find(process)).toEqual([['refused_burst', 71]]);
    expect(webhook.received[0]?.message.data.url).toMatch(/\/admin\/events\?outcome=refused$/);
  });

  test('a parked hook is an alert without the text of its error', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    const id = await world.install('Acme');
    await world.store.hooks.append({
      installationId: id,
      generation: 1,
      event: 'installed',
      data: {},
    });
    const { claimed } = await world.store.hooks.claim({
      owner: 'one',
      limit: 1,
      leaseMs: minuteMs,
      except: [],
      handles: () => true,
    });
    const [hook] = claimed;
    if (!hook) throw new Error('Nothing was claimed');
    await world.store.hooks.settle(hook, { state: 'parked', error: 'password hunter2' });

    expect(await find(process)).toEqual([['hook_parked', 1]]);
    expect(webhook.received[0]?.message.data.worst).toMatchObject([
      { name: 'Acme', detail: 'installed' },
    ]);
    expect(JSON.stringify(webhook.received)).not.toContain('hunter2');
  });

  test('a key that stored values need and that is missing is an alert', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    const missing = { id: 'k1', state: 'missing', values: 12, isSealing: false } as const;
    const { describeKeys } = process.store;
    process.store.describeKeys = async () => {
      const report = await describeKeys();
      return { ...report, countedAt: 1, keys: [...report.keys, { ...missing, since: null }] };
    };
    await evaluateAndSend(world, [process], 12);

    expect(titles()).toEqual(['The encryption key k1 is missing: stored values cannot be read']);
    expect(webhook.received[0]?.message.data).toMatchObject({ subject: 'k1', count: 12 });
  });

  test('without webhook and mail, an alert and its end are in the log', async () => {
    const process = await world.startProcess();
    const id = await openOne(process);
    await world.repair(id);
    await evaluateAndSend(world, [process], 14);

    const line = { rule: 'broken_for', count: 1 };
    expect(world.logs).toMatchObject([
      { line, message: 'alert.opened' },
      { line, message: 'alert.recovered' },
    ]);
    expect((await world.store.alerts.report()).channels).toEqual([]);
  });

  test('a rule that is switched off ends its alert', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    await openOne(process);
    await Promise.all(process.sending.values());
    const other = await world.startProcess({ webhook: webhook.settings, rules: [] });
    await evaluateAndSend(world, [other], 13);

    expect(types()).toEqual(['alert.opened', 'alert.recovered']);
  });
});
