/** The request for a new access_token event (Spec §4.3). */
import type { ClientAccess } from '@dowel/installation-store';
import { joinPlatformUrl } from '@dowel/schema';

/**
 * Sends the event's own body, verbatim. Any 2xx counts as taken; the platform then sends the event
 * when it likes.
 *
 * @returns why the platform did not take it, or null.
 */
export async function requestNewEvent(
  { baseUrl, trigger }: ClientAccess,
  fetch: typeof globalThis.fetch,
  timeoutMs: number,
): Promise<string | null> {
  if (!trigger) return 'no_trigger_event';
  try {
    const response = await fetch(joinPlatformUrl(baseUrl, trigger.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json;charset=UTF-8' },
      body: trigger.body?.reveal() ?? null,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return response.ok ? null : `trigger_answered_${response.status}`;
  } catch {
    return 'trigger_unreachable';
  }
}
