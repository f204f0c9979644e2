/** The request for a new access_token event (Spec §4.3). */
import { type Timer, withTimeout } from '@dowel/http';
import type { ClientAccess } from '@dowel/installation-store';
import { joinPlatformUrl, type Reason } from '@dowel/schema';
import { discardBody } from './discard-body.ts';

/** What an access_token event says about the request for the next one. */
export interface Trigger extends Pick<ClientAccess, 'baseUrl'> {
  trigger: NonNullable<ClientAccess['trigger']>;
}

/**
 * Sends the event's trigger body unchanged. Any 2xx means accepted. A redirect is not followed, and accepts nothing. The
 * platform sends the event at any later time.
 *
 * @returns why the platform did not accept it, or null.
 */
export async function requestNewEvent(
  { baseUrl, trigger }: Trigger,
  { fetch, timer, timeoutMs }: { fetch: typeof globalThis.fetch; timer: Timer; timeoutMs: number },
): Promise<Reason | null> {
  const url = joinPlatformUrl(baseUrl, trigger.url);
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
