/**
 * Sends the messages that wait. A channel that hangs does not delay the others. A message is claimed,
 * sent and settled; after a crash it is due again with the same id.
 */
import { randomUUID } from 'node:crypto';
import { pause, withTimeout } from '@dowel/http';
import type { AlertOutcome, ClaimedAlertMessage } from '@dowel/installation-store';
import type { AlertChannel, AlertTestResult } from '@dowel/schema';
import type { Channel, SendResult } from './alert-channel.ts';
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
  const result = await send(context, channel, message);
  const outcome = outcomeOf(context, message, result);
  await store.alerts.settle(message, outcome);
  const { id: messageId, attempts } = message;
  const line = { channel: channel.name, messageId, attempts };
  if (outcome.state === 'delivered') logger.info(line, 'alert.sent');
  else logger.warn({ ...line, state: outcome.state, why: outcome.error }, 'alert.not_sent');
}

function send(
  { timer, closing }: AlertsContext,
  channel: Channel,
  message: ClaimedAlertMessage,
): Promise<SendResult> {
  const reason = () => new Error('No answer in time');
  return withTimeout(timer, { ms: sendMs, signal: closing.signal, reason }, (signal) =>
    channel.send(message, signal),
  );
}

function outcomeOf(
  { random }: AlertsContext,
  { attempts, ageMs, kind }: ClaimedAlertMessage,
  result: SendResult,
): AlertOutcome {
  if (result.isDelivered) return { state: 'delivered' };
  const delayMs = delaysMs[attempts - 1] ?? longestDelayMs;
  const jitteredMs = delayMs * (0.8 + 0.4 * random());
  const wantedMs = Math.max(jitteredMs, result.retryAfterMs ?? 0);
  const retryInMs = Math.round(Math.min(wantedMs, longestDelayMs));
  const { text: error, answer } = result;
  // A test is not repeated: an operator waits for its result.
  if (kind === 'test' || result.isFinal || ageMs + retryInMs > giveUpAfterMs)
    return { state: 'failed', error, answer };
  return { state: 'waiting', error, answer, retryInMs };
}

/** Sends one message now. @returns undefined: the channel is not configured. */
export async function testChannel(
  context: AlertsContext,
  name: AlertChannel,
): Promise<AlertTestResult | undefined> {
  const { store, channels } = context;
  const channel = channels.find((each) => each.name === name);
  if (!channel) return undefined;
  const id = `msg_${randomUUID()}`;
  const body = JSON.stringify(composeTest(context));
  // Claimed by this process: another one sends it only if this process dies now.
  await store.alerts.add([
    { id, kind: 'test', alertId: null, channel: name, body, dueInMs: leaseMs },
  ]);
  const message = await store.alerts.claim(name, leaseMs, id);
  if (!message) return undefined;
  const startedAt = performance.now();
  const result = await send(context, channel, message);
  await store.alerts.settle(message, outcomeOf(context, message, result));
  const durationMs = Math.round(performance.now() - startedAt);
  const { isDelivered, text, answer } = result;
  return { channel: name, isDelivered, message: text, answer, durationMs };
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
