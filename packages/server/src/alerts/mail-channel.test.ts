/** Alerts by mail: its headers, its failures, and its password. */
import { sqlite } from '@dowel/installation-store/testing';
import { Secret } from '@dowel/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AlertsContext } from './alerts-context.ts';
import { deliverAlerts, drainAlerts, testChannel } from './deliver-alerts.ts';
import {
  type MailReceiver,
  startMailReceiver,
  startWebhookReceiver,
  type WebhookReceiver,
} from './testing/alert-receivers.ts';
import {
  type AlertWorld,
  evaluateAndSend,
  openAlert,
  startAlertWorld,
} from './testing/alert-world.ts';

const minuteMs = 60_000;

let world: AlertWorld;
let webhook: WebhookReceiver;
let mail: MailReceiver;

beforeEach(async () => {
  world = await startAlertWorld(sqlite);
  webhook = await startWebhookReceiver();
  mail = await startMailReceiver();
  return async () => {
    await world[Symbol.asyncDispose]();
    await webhook[Symbol.asyncDispose]();
    await mail[Symbol.asyncDispose]();
  };
});

const types = () => webhook.received.map(({ message }) => message.type);
const openOne = (process: AlertsContext) => openAlert(world, process);

describe('the mail', () => {
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
      answer: { kind: 'answered', status: 450, code: 'EMESSAGE' },
    });
  });

  test('that one of its readers cannot get is a failure, and is not sent to the others again', async () => {
    const process = await world.startProcess({ mail: mail.settings });
    mail.unknown = 'night@example.com';

    expect(await testChannel(process, 'mail')).toMatchObject({
      isDelivered: false,
      message: 'The mail server refused 1 of 2 addresses (550).',
      answer: { kind: 'answered', status: 550 },
    });
    await openOne(process);
    await expect.poll(() => mail.mails, { timeout: 120_000 }).toHaveLength(2);
    await world.wait(minuteMs);
    await deliverAlerts(process);

    expect(mail.mails).toHaveLength(2);
  });

  test('that is given up never arrives', async () => {
    const process = await world.startProcess({ mail: mail.settings });
    mail.isHanging = true;
    await openOne(process);
    await expect.poll(() => mail.unanswered, { timeout: 120_000 }).toBe(1);

    await drainAlerts(process, 0);

    await expect.poll(() => mail.countConnections(), { timeout: 120_000 }).toBe(0);
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
    // 0.0.0.0 leads to this machine, but is not a loopback address.
    const server = { ...mail.settings.server, host: '0.0.0.0' };
    const process = await world.startProcess({ mail: { ...mail.settings, server } });

    expect(await testChannel(process, 'mail')).toMatchObject({
      isDelivered: false,
      message: expect.stringContaining('ETLS'),
      answer: { kind: 'answered', status: 500, code: 'ETLS' },
    });
    expect(mail.mails).toEqual([]);
  });
});
