/**
 * Sends alerts by HTTP, signed as Standard Webhooks describes it: the receiver recomputes HMAC-SHA256 over
 * `<webhook-id>.<webhook-timestamp>.<body>` with the shared key.
 */
import { createHmac } from 'node:crypto';
import { AddressNotAllowedError, createGuardedFetch, parseRetryAfter } from '@dowel/http';
import { isLoopback } from '@dowel/schema';
import type { Channel, SendResult, SentMessage } from './alert-channel.ts';
import { describeWebhook, type WebhookSettings } from './alert-settings.ts';

export interface WebhookOptions {
  settings: WebhookSettings;
  /** Origins that may have private addresses. */
  internalOrigins: readonly string[];
  now: () => number;
}

interface WebhookContext extends WebhookOptions {
  fetch: typeof globalThis.fetch;
}

/** Creates the channel. Its requests reach no private address, unless the configuration names it. */
export function createWebhookChannel(options: WebhookOptions): Channel {
  const { settings, internalOrigins } = options;
  const url = new URL(settings.url.reveal());
  // Http is accepted for this machine only, where the operator has put the receiver.
  const own = url.protocol === 'http:' && isLoopback(url) ? [url.origin] : [];
  const fetch = createGuardedFetch({ internalOrigins: [...internalOrigins, ...own] });
  return {
    name: 'webhook',
    target: describeWebhook(settings),
    send: (message, signal) => sendWebhook({ ...options, fetch }, message, signal),
  };
}

/** The `webhook-signature` of a message. */
function signWebhook(
  secret: string,
  { id, timestamp, body }: SentMessage & { timestamp: string },
): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

async function sendWebhook(
  { settings, fetch, now }: WebhookContext,
  { id, body }: SentMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  const timestamp = String(Math.floor(now() / 1_000));
  const signature = signWebhook(settings.key.reveal(), { id, body, timestamp });
  try {
    const response = await fetch(settings.url.reveal(), {
      method: 'POST',
      redirect: 'manual',
      signal,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Dowel',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      },
      body,
    });
    // Nobody reads it.
    await response.body?.cancel();
    return readAnswer(response, now());
  } catch (error) {
    return { isDelivered: false, ...explain(error, signal) };
  }
}

function readAnswer({ ok, status, headers }: Response, now: number): SendResult {
  const text = `The receiver answered ${status}.`;
  const answer = { kind: 'answered', status, code: null } as const;
  if (ok) return { isDelivered: true, text, answer };
  const isRedirect = status >= 300 && status < 400;
  return {
    isDelivered: false,
    text: isRedirect ? `${text} Redirects are not followed.` : text,
    answer: isRedirect ? { kind: 'redirected', status } : answer,
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), now),
  };
}

function explain(error: unknown, signal: AbortSignal): Pick<SendResult, 'text' | 'answer'> {
  if (signal.aborted) {
    return { text: 'The receiver did not answer in time.', answer: { kind: 'timed_out' } };
  }
  const { cause } = error as Error;
  if (cause instanceof AddressNotAllowedError) {
    const text = 'The receiver has a private address: name its host in DOWEL_INTERNAL_HOSTS.';
    return { text, answer: { kind: 'private_address' } };
  }
  const { code = null } = (cause ?? error) as { code?: string };
  const text = `The receiver cannot be reached${code ? ` (${code})` : ''}.`;
  return { text, answer: { kind: 'unreachable', code } };
}
