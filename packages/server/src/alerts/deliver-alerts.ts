/** Sends the messages of the outbox: each channel by itself, with pauses that grow, until it arrives or a day has passed. */
import { randomUUID } from 'node:crypto';
import type { AlertChannel, AlertTestResult } from '@dowel/admin-api';
import { pause, withTimeout } from '@dowel/http';
import type { AlertOutcome, ClaimedAlertMessage } from '@dowel/installation-store';
import type { Channel, SendResult, SentMessage } from './alert-channel.ts';
import { composeTest } from './alert-message.ts';
import type { AlertsContext } from './alerts-context.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
/** The limit of one attempt. It is shorter than the lease, so two processes never send the same message at once. */
const sendMs = 20 * secondMs;
const leaseMs = minuteMs;
const giveUpAfterMs = 24 * hourMs;
const delaysMs = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs, hourMs];
/** Limits `Retry-After`, too. */
const longestDelayMs = 4 * hourMs;

/** Run it every few seconds in each process. Never rejects. @returns the number of attempts. */
export async function deliverAlerts(context: AlertsContext): Promise<number> {
  const { channels, database, draining, sending } = context;
  if (!database.isAvailable || draining.signal.aborted) return 0;
  const attempts = channels.map((channel) => {
    const running = sending.get(channel.name) ?? deliverChannel(context, channel);
    sending.set(channel.name, running);
    return running;
  });
  return (await Promise.all(attempts)).reduce((sum, each) => sum + each, 0);
}

async function deliverChannel(context: AlertsContext, channel: Channel): Promise<number> {
  const { store, logger, draining, sending } = context;
  let attempts = 0;
  try {
    while (!draining.signal.aborted) {
      const message = await store.alerts.claim(channel.name, leaseMs);
      if (!message) break;
      attempts += 1;
      await attempt(context, channel, message);
    }
  } catch (err) {
    logger.error({ err, channel: channel.name }, 'alerts.failed');
  } finally {
    sending.delete(channel.name);
  }
  return attempts;
}

async function attempt(
  context: AlertsContext,
  channel: Channel,
  message: ClaimedAlertMessage,
): Promise<void> {
  const { store, logger } = context;
  const outcome = outcomeOf(context, message, await send(context, channel, message));
  await store.alerts.settle(message, outcome);
  const line = { channel: channel.name, messageId: message.id, attempts: message.attempts };
  if (outcome.state === 'delivered') logger.info(line, 'alert.sent');
  else logger.warn({ ...line, state: outcome.state, why: outcome.error }, 'alert.not_sent');
}

function send(
  { timer, closing }: AlertsContext,
  channel: Channel,
  message: SentMessage,
): Promise<SendResult> {
  const reason = () => new Error('No answer in time');
  return withTimeout(timer, { ms: sendMs, signal: closing.signal, reason }, (signal) =>
    channel.send(message, signal),
  );
}

function outcomeOf(
  { random }: AlertsContext,
  { attempts, ageMs }: ClaimedAlertMessage,
  { isDelivered, text: error, answer, isFinal, retryAfterMs = 0 }: SendResult,
): AlertOutcome {
  if (isDelivered) return { state: 'delivered' };
  const delayMs = (delaysMs[attempts - 1] ?? longestDelayMs) * (0.8 + 0.4 * random());
  const retryInMs = Math.round(Math.min(Math.max(delayMs, retryAfterMs), longestDelayMs));
  if (isFinal || ageMs + retryInMs > giveUpAfterMs) return { state: 'failed', error, answer };
  return { state: 'waiting', error, answer, retryInMs };
}

/** Sends one message now, once. @returns undefined: the channel is not configured. */
export async function testChannel(
  context: AlertsContext,
  name: AlertChannel,
): Promise<AlertTestResult | undefined> {
  const channel = context.channels.find((each) => each.name === name);
  if (!channel) return undefined;
  const startedAt = performance.now();
  const body = JSON.stringify(composeTest(context));
  const result = await send(context, channel, { id: `msg_${randomUUID()}`, body });
  const { isDelivered, text: message, answer } = result;
  const durationMs = Math.round(performance.now() - startedAt);
  return { channel: name, isDelivered, message, answer, durationMs };
}

/**
 * Starts no more attempts and evaluations. Running ones have `graceMs`; another process repeats the attempts that did not
 * end.
 */
export async function drainAlerts(context: AlertsContext, graceMs: number): Promise<void> {
  const { timer, sending, checking, draining, closing } = context;
  draining.abort();
  const patience = new AbortController();
  const attempts = Promise.allSettled(sending.values());
  void Promise.all([attempts, checking]).then(() => patience.abort());
  await pause(timer, graceMs, patience.signal);
  closing.abort(new Error('The process stops'));
  await attempts;
}
