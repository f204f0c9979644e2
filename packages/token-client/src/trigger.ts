/** The request for a new access_token event (Spec §4.3). */
import { type Timer, withTimeout } from '@dowel/http';
import { type Reason, resolvePlatformUrl } from '@dowel/schema';
import type { TokenContext } from './context.ts';
import { discardBody } from './discard-body.ts';
import type { ClientAccess, Grant } from './token-store.ts';

/** What an access_token event says about the request for the next one. */
export interface Trigger extends Pick<Grant, 'issuer' | 'baseUrl'> {
  trigger: NonNullable<ClientAccess['trigger']>;
}

interface TriggerOptions extends Pick<TokenContext, 'allowsOrigin'> {
  fetch: typeof globalThis.fetch;
  timer: Timer;
  timeoutMs: number;
}

/**
 * Sends the event's trigger body unchanged. Any 2xx means accepted. A redirect is not followed, and accepts nothing. The
 * platform sends the event at any later time.
 *
 * @returns why the platform did not accept it, or null.
 */
export async function requestNewEvent(
  { issuer, baseUrl, trigger }: Trigger,
  { fetch, timer, timeoutMs, allowsOrigin }: TriggerOptions,
): Promise<Reason | null> {
  let url: URL;
  try {
    url = resolvePlatformUrl(baseUrl, trigger.url, allowsOrigin(issuer));
  } catch {
    // It was allowed when its event arrived.
    return 'trigger_address_not_allowed';
  }
  const body = trigger.body?.reveal() ?? null;
  const headers = { 'content-type': 'application/json;charset=UTF-8' };
  try {
    const reason = () => new Error('The trigger was not answered in time');
    const { ok, status } = await withTimeout(timer, { ms: timeoutMs, reason }, async (signal) => {
      const method = 'POST';
      const response = await fetch(url, { method, headers, body, redirect: 'manual', signal });
      await discardBody(response);
      return response;
    });
    return ok ? null : `trigger_answered_${status}`;
  } catch {
    return 'trigger_unreachable';
  }
}
