/** Alerts by webhook: repetition, Retry-After, and where requests may go. */
import { sqlite } from '@dowel/installation-store/testing';
import { Secret } from '@dowel/schema';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AlertsContext } from './alerts-context.ts';
import { deliverAlerts, testChannel } from './deliver-alerts.ts';
import { startWebhookReceiver, type WebhookReceiver } from './testing/alert-receivers.ts';
import { type AlertWorld, openAlert, startAlertWorld } from './testing/alert-world.ts';

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

const openOne = (process: AlertsContext) => openAlert(world, process);

describe('the webhook', () => {
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
      answer: { kind: 'redirected', status: 307 },
    });
    expect(webhook.received).toHaveLength(1);
  });

  test('F26: at a private address is not called unless its host is named', async () => {
    const url = new Secret(webhook.settings.url.reveal().replace('http:', 'https:'));
    const process = await world.startProcess({ webhook: { ...webhook.settings, url } });

    expect(await testChannel(process, 'webhook')).toMatchObject({
      isDelivered: false,
      message: expect.stringContaining('DOWEL_INTERNAL_HOSTS'),
      answer: { kind: 'private_address' },
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
