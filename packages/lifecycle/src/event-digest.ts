import { createHash } from 'node:crypto';
import type { LifecycleEvent } from '@dowel/schema';

/**
 * What makes two deliveries the same event. An access_token event is its code: a re-delivery may be
 * signed afresh, and a code that is exchanged twice costs the healthy tokens (RFC 6749 §4.1.2).
 */
export function eventDigest(event: LifecycleEvent): string {
  const meaning =
    event.sub === 'access_token'
      ? [event.sub, event.client.authorization_code.reveal()]
      : [event.sub, event.iat, event.jti ?? null, event.instanceId ?? null];
  return createHash('sha256').update(JSON.stringify(meaning)).digest('hex');
}
