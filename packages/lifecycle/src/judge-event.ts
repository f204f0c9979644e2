/** Checks of a verified event that need no request and no write. */
import type { EventOrder, Installation } from '@dowel/installation-store';
import {
  type AccessTokenEvent,
  canonicalIssuer,
  joinPlatformUrl,
  type LifecycleEvent,
} from '@dowel/schema';
import { type EventAnswer, refuse, superseded } from './event-answer.ts';

/** Events of one second come in any order, and clocks of several senders differ a little. */
const orderToleranceSeconds = 5;

/** The answer to an event that must change nothing; undefined when it may be applied. */
export function judgeEvent(
  event: LifecycleEvent,
  installation: Installation,
): EventAnswer | undefined {
  if (event.sub !== 'access_token') return undefined;
  return isOvertaken(event, installation) ? superseded : judgeAddresses(event, installation);
}

/** True for an event from before the last uninstall. The store decides which events begin the next life. */
export function isOfEndedLife({ sub, iat }: LifecycleEvent, { endedIat }: Installation): boolean {
  return sub !== 'uninstall' && endedIat !== null && iat < endedIat;
}

function isOvertaken(event: AccessTokenEvent, { appliedIat }: Installation): boolean {
  return appliedIat !== null && appliedIat > orderOf(event).newestIat;
}

/** The place of the event among the others; checked again when its tokens are stored. */
export function orderOf({ iat }: AccessTokenEvent): EventOrder {
  return { iat, newestIat: iat + orderToleranceSeconds };
}

/**
 * A valid signature is not enough to send a secret elsewhere: `base_url` must be spelled as an issuer may be, have
 * the issuer's origin and stay the same during a life, and the relative paths must be plain.
 */
function judgeAddresses(
  { iss, base_url, client }: AccessTokenEvent,
  { baseUrl: pinned }: Installation,
): EventAnswer | undefined {
  const base = URL.parse(canonicalIssuer(base_url) ?? '');
  if (base?.origin !== new URL(iss).origin) return refuse('base_url_not_allowed');
  const paths = [client.token_endpoint_url, client.trigger_event?.url];
  if (!paths.every((path) => path === undefined || isPlainPath(base_url, path))) {
    return refuse('relative_url_not_allowed');
  }
  return pinned && !isSameBase(pinned, base_url) ? refuse('base_url_changed') : undefined;
}

function isSameBase(left: string, right: string): boolean {
  const normalise = (url: string) => new URL(url).href.replace(/(?<!\/)\/+$/, '');
  return normalise(left) === normalise(right);
}

function isPlainPath(baseUrl: string, path: string): boolean {
  try {
    joinPlatformUrl(baseUrl, path);
    return true;
  } catch {
    return false;
  }
}
