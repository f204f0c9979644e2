import { hash } from 'node:crypto';
import type { LifecycleEvent } from '@dowel/schema';

/**
 * Deliveries with the same digest are the same event. For an access_token event its code counts, because
 * a re-delivery may be signed again, and a second exchange of a code may revoke its tokens (RFC 6749
 * §4.1.2).
 */
export function eventDigest(event: LifecycleEvent): string {
  const meaning =
    event.sub === 'access_token'
      ? // control C02
        [event.sub, event.client.authorization_code.reveal()]
      : [event.sub, event.iat, event.jti ?? null, event.instanceId ?? null];
  return hash('sha256', JSON.stringify(meaning), 'hex');
}
