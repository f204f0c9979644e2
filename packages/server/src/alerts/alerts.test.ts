/** Rules, messages and their delivery to real receivers. */
import { sqlite, testDatabases } from '@dowel/installation-store/testing';
import { Secret } from '@dowel/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AlertsContext } from './alerts-context.ts';
import { checkAlerts } from './check-alerts.ts';
import { deliverAlerts, drainAlerts, testChannel } from './deliver-alerts.ts';
import {
  type MailReceiver,
  startMailReceiver,
  startWebhookReceiver,
  type WebhookReceiver,
} from './testing/alert-receivers.ts';
import { type AlertWorld, evaluateAndSend, startAlertWorld } from './testing/alert-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let world: AlertWorld;
let webhook: WebhookReceiver;
let mail: MailReceiver;

async function start(kind = sqlite): Promise<void> {
  world = await startAlertWorld(kind);
  webhook = await startWebhookReceiver();
  mail = await startMailReceiver();
}

afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await webhook[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

const types = () => webhook.received.map(({ message }) => message.type);
const readLast = async () => (await world.store.alerts.report()).channels[0]?.last;
const titles = () => webhook.received.map(({ message }) => message.data.title);

/** An alert that is open, with one message that waits. */
async function openOne(process: AlertsContext): Promise<string> {
  const id = await world.install('Acme');
  await world.break(id);
  await world.wait(15 * minuteMs);
  for (const _ of [1, 2]) {
    await world.wait(30_000);
    await checkAlerts(process);
  }
  return id;
}

describe.each(testDatabases)('alerts on $name', (kind) => {
  describe.skipIf(!kind.isAvailable)('', () => {
    beforeEach(() => start(kind));

    test('broken for longer than the limit is one alert with the count, the worst and what to do', async () => {
      const process = await world.startProcess({ webhook: webhook.settings });
      for (let index = 0; index < 7; index += 1) await world.break(await world.install());
      await evaluateAndSend(world, [process]);
      expect(types()).toEqual(['alert.opened']);
      expect(titles()).toEqual([expect.stringContaining('7 of 7 installations are broken')]);

      await world.wait(15 * minuteMs);
      await evaluateAndSend(world, [process]);

      const { message, isSigned } = webhook.received.at(-1) ?? {};
      expect(isSigned).toBe(true);
      expect(message?.data).toMatchObject({
        rule: 'broken_for',
        title: '7 installations have been broken for more than 15 min',
        count: 7,
        url: 'https://plugin.example.com/polls/admin/installations?group=broken',
        plugin: 'Lunch menu',
      });
      expect(message?.data.worst).toHaveLength(5);
      expect(message?.data.worst[0]).toMatchObject({
        name: 'tenant-1.example.com',
        detail: 'invalid_grant',
      });
      expect(message?.text).toContain('… and 2 more.');
      expect(message?.text).toContain('What happens next: Dowel tries each token endpoint again');
      expect(message?.text).toContain('What you can do: Look at the causes.');
    });

    test('two processes tell once, and a recovery once', async () => {
      const processes = [
        await world.startProcess({ webhook: webhook.settings, mail: mail.settings }),
        await world.startProcess({ webhook: webhook.settings, mail: mail.settings }),
      ];
      const id = await world.install('Acme');
      await world.break(id);
      await world.wait(15 * minuteMs);
      await evaluateAndSend(world, processes, 4);
      expect(titles()).toEqual(['Acme has been broken for more than 15 min']);

      await world.repair(id);
      await evaluateAndSend(world, processes, 14);

      expect(types()).toEqual(['alert.opened', 'alert.recovered']);
      expect(webhook.received[1]?.message.data.alertId).toBe(
        webhook.received[0]?.message.data.alertId,
      );
      expect(mail.mails.map((each) => /^Subject: (.*)/m.exec(each)?.[1])).toEqual([
        '[Dowel] Acme has been broken for more than 15 min',
        '[Dowel] Recovered: Acme has been broken for more than 15 min',
      ]);
    });

    test('a process that dies between commit and sending leaves it to another one, with the same id', async () => {
      const dead = await world.startProcess({ webhook: webhook.settings });
      const heir = await world.startProcess({ webhook: webhook.settings });
      dead.channels = dead.channels.map((channel) => ({
        ...channel,
        send: () => new Promise(() => {}),
      }));
      await openOne(dead);
      await expect.poll(async () => (await readLast())?.attempts, { timeout: 120_000 }).toBe(1);
      dead.sending.clear();
      expect(await deliverAlerts(heir)).toBe(0);

      await world.wait(minuteMs);
      await deliverAlerts(heir);

      expect(webhook.received).toMatchObject([{ id: (await readLast())?.id, isSigned: true }]);
      expect(await readLast()).toMatchObject({ state: 'delivered', attempts: 2 });
    });
  });
});

describe('the rules', () => {
  beforeEach(() => start());

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

  test('the longest without access is told first, whichever failed first', async () => {
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
    expect(webhook.received[0]?.message.data.url).toMatch(/\/admin\/refused$/);
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
    const missing = { id: 'k1', state: 'missing', values: 12, uses: 12, isWornOut: false } as const;
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

  test('nothing is sent while an alert is silenced; the recovery of a told one is', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    const silence = { rule: 'broken_for', subject: '', by: 'ada', reason: 'Known' } as const;
    await world.store.alerts.silence({ ...silence, forMs: 24 * hourMs });
    const id = await openOne(process);
    await evaluateAndSend(world, [process]);
    expect(types()).toEqual([]);

    await world.store.alerts.endSilence('broken_for', '');
    await evaluateAndSend(world, [process], 1);
    await world.store.alerts.silence({ ...silence, forMs: 24 * hourMs });
    await world.wait(5 * hourMs);
    await evaluateAndSend(world, [process]);
    await world.repair(id);
    await evaluateAndSend(world, [process], 13);

    expect(types()).toEqual(['alert.opened', 'alert.recovered']);
  });
});

describe('the webhook', () => {
  beforeEach(() => start());

  test('is tried again with the same id until it answers 2xx', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    webhook.answers.push({ status: 500 });
    await openOne(process);
    await Promise.all(process.sending.values());
    expect(await deliverAlerts(process)).toBe(0);

    await world.wait(5_000);
    expect(await deliverAlerts(process)).toBe(1);
    await world.wait(hourMs);
    await deliverAlerts(process);

    const [first, second, third] = webhook.received;
    expect(third).toBeUndefined();
    expect(second?.id).toBe(first?.id);
    expect(second?.message).toEqual(first?.message);
    expect([first?.isSigned, second?.isSigned]).toEqual([true, true]);
  });

  test('is left alone for as long as Retry-After says', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    webhook.answers.push({ status: 429, headers: { 'retry-after': '600' } });
    await openOne(process);
    await Promise.all(process.sending.values());

    await world.wait(9 * minuteMs);
    expect(await deliverAlerts(process)).toBe(0);
    await world.wait(minuteMs);
    expect(await deliverAlerts(process)).toBe(1);
  });

  test('is given up after a day, and the report says so', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    webhook.answers.push(...Array.from({ length: 40 }, () => ({ status: 503 })));
    await openOne(process);
    await Promise.all(process.sending.values());
    for (let hour = 0; hour < 30; hour += 1) {
      await world.wait(hourMs);
      await deliverAlerts(process);
    }

    expect(new Set(webhook.received.map(({ id }) => id)).size).toBe(1);
    const { channels } = await world.store.alerts.report();
    expect(channels[0]?.last).toMatchObject({
      state: 'failed',
      nextAttemptAt: null,
      lastError: 'The receiver answered 503.',
    });
  });

  test('F26: is not followed elsewhere', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    webhook.answers.push({ status: 307, headers: { location: `${webhook.origin}/other` } });

    const result = await testChannel(process, 'webhook');

    expect(result).toMatchObject({
      isDelivered: false,
      message: 'The receiver answered 307. Redirects are not followed.',
    });
    expect(webhook.received).toHaveLength(1);
  });

  test('F26: at a private address is not called unless its host is named', async () => {
    const url = new Secret(webhook.settings.url.reveal().replace('http:', 'https:'));
    const process = await world.startProcess({ webhook: { ...webhook.settings, url } });

    expect(await testChannel(process, 'webhook')).toMatchObject({
      isDelivered: false,
      message: expect.stringContaining('DOWEL_INTERNAL_HOSTS'),
    });
    expect(webhook.received).toEqual([]);
  });

  test('F26: appears in no log and no report with its path or secret', async () => {
    const process = await world.startProcess({ webhook: webhook.settings });
    webhook.answers.push({ status: 500 });
    await openOne(process);
    await Promise.all(process.sending.values());
    await testChannel(process, 'webhook');

    const seen = JSON.stringify([
      world.logs,
      await world.store.alerts.report(),
      process.channels.map(({ target }) => target),
      await world.database.dump(),
    ]);
    expect(world.logs.map(({ message }) => message)).toContain('alert.not_sent');
    expect(seen).not.toContain('path-of-the-receiver');
    expect(seen).not.toContain(webhook.settings.key.reveal().slice(6, 30));
  });
});

describe('the mail', () => {
  beforeEach(() => start());

  test('F26: is plain text, has a lasting id, and names of tenants add no line and no header', async () => {
    const process = await world.startProcess({ mail: mail.settings });
    const id = await world.install('Acme\r\nBcc: thief@example.com\n\nClick\u2028here');
    await world.break(id);
    await world.wait(15 * minuteMs);
    await evaluateAndSend(world, [process]);

    const [sent = ''] = mail.mails;
    const [head = '', ...body] = sent.split('\r\n\r\n');
    expect(head).not.toMatch(/^Bcc:/im);
    expect(head.replaceAll(/\r\n\s+/g, ' ')).toContain(
      'Subject: [Dowel] Acme Bcc: thief@example.com Click here has been broken for more',
    );
    expect(head).toMatch(/^To: desk@example\.com, night@example\.com$/m);
    expect(head).toMatch(/^Message-ID: <msg_[\w-]+@plugin\.example\.com>$/m);
    expect(head).toMatch(/^Content-Type: text\/plain/m);
    expect(head).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(body.join()).not.toMatch(/^(Bcc|Click)/m);
  });

  test('that fails is tried again, and never delays the webhook', async () => {
    const process = await world.startProcess({ webhook: webhook.settings, mail: mail.settings });
    mail.isHanging = true;
    await openOne(process);
    await expect.poll(types, { timeout: 120_000 }).toEqual(['alert.opened']);
    await expect.poll(() => mail.unanswered, { timeout: 120_000 }).toBe(1);
    expect(process.sending.has('mail')).toBe(true);

    await drainAlerts(process, 0);
    mail.isHanging = false;
    const next = await world.startProcess({ mail: mail.settings });
    await world.wait(minuteMs);
    await deliverAlerts(next);

    expect(mail.mails).toHaveLength(1);
  });

  test('is refused with the code of the server, without its text', async () => {
    const process = await world.startProcess({ mail: mail.settings });
    mail.isRefusing = true;

    expect(await testChannel(process, 'mail')).toMatchObject({
      isDelivered: false,
      message: 'The mail server answered 450 at DATA (EMESSAGE).',
    });
  });

  test('F26: is sent with the password, which no message about a failure repeats', async () => {
    const closed = await startMailReceiver('correct horse battery');
    const process = await world.startProcess({ mail: closed.settings });
    expect((await testChannel(process, 'mail'))?.isDelivered).toBe(true);

    const { server } = closed.settings;
    const wrong = { ...server, password: new Secret('hunter2hunter2') };
    const other = await world.startProcess({ mail: { ...closed.settings, server: wrong } });
    const result = await testChannel(other, 'mail');
    await closed[Symbol.asyncDispose]();

    expect(result?.isDelivered).toBe(false);
    expect(result?.message).toContain('535');
    expect(JSON.stringify([result, world.logs, await world.database.dump()])).not.toContain(
      'hunter2',
    );
  });

  test('F26: never goes to another machine as plain text', async () => {
    // It leads to this machine, but its name does not say so.
    const server = { ...mail.settings.server, host: '0.0.0.0' };
    const process = await world.startProcess({ mail: { ...mail.settings, server } });

    expect(await testChannel(process, 'mail')).toMatchObject({
      isDelivered: false,
      message: expect.stringContaining('ETLS'),
    });
    expect(mail.mails).toEqual([]);
  });
});
