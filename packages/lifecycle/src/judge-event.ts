/** What can be said of a verified event before anything is done or sent. */
import type { EventOrder, Installation } from '@dowel/installation-store';
import { type AccessTokenEvent, joinPlatformUrl, type LifecycleEvent } from '@dowel/schema';
import { type EventAnswer, refuse, superseded } from './event-answer.ts';

/** Events of one second come in any order, and clocks of several senders differ a little. */
const orderToleranceSeconds = 5;

/** The answer to an event that must change nothing; undefined when it may be applied. */
export function judgeEvent(
  event: LifecycleEvent,
  installation: Installation | undefined,
): EventAnswer | undefined {
  if (installation && isOfEndedLife(event, installation)) return refuse('after_uninstall');
  if (event.sub !== 'access_token') return undefined;
  if (installation && isOvertaken(event, installation)) return superseded;
  return judgeAddresses(event, installation);
}

/**
 * An event from before the last uninstall, or one that only a live installation can have. One of the
 * uninstall's own second may be of either life; but a new life's access_token comes after its install.
 */
function isOfEndedLife(event: LifecycleEvent, { status, endedIat }: Installation): boolean {
  if (event.sub === 'uninstall' || endedIat === null) return false;
  const beginsLife =
    event.sub === 'install' || (event.sub === 'access_token' && event.iat > endedIat);
  return event.iat < endedIat || (status === 'uninstalled' && !beginsLife);
}

function isOvertaken(event: AccessTokenEvent, { status, appliedIat }: Installation): boolean {
  return status !== 'uninstalled' && appliedIat !== null && appliedIat > orderOf(event).newestIat;
}

/** Where the event stands among the others: asked again at the moment when its tokens are stored. */
export function orderOf({ iat }: AccessTokenEvent): EventOrder {
  return { iat, newestIat: iat + orderToleranceSeconds };
}

/**
 * Nothing validly signed may steer a secret elsewhere: `base_url` is of the issuer's own origin and
 * stays what it was for this life, and the relative paths are plain.
 */
function judgeAddresses(
  { iss, base_url, client }: AccessTokenEvent,
  installation: Installation | undefined,
): EventAnswer | undefined {
  const base = URL.parse(base_url);
  if (!base || base.username || base.password || base.origin !== new URL(iss).origin) {
    return refuse('base_url_not_allowed');
  }
  const paths = [client.token_endpoint_url, client.trigger_event?.url];
  if (!paths.every((path) => path === undefined || isPlainPath(base_url, path))) {
    return refuse('relative_url_not_allowed');
  }
  const pinned = installation?.status === 'uninstalled' ? null : installation?.baseUrl;
  return pinned && !isSameBase(pinned, base_url) ? refuse('base_url_changed') : undefined;
}

function isSameBase(left: string, right: string): boolean {
  const normalise = (url: string) => new URL(url).href.replace(/\/+$/, '');
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
