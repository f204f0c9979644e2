/** Checks of a verified event that need no request and no write. */
import type { EventOrder, Installation } from '@dowel/installation-store';
import {
  type AccessTokenEvent,
  type ApiOriginRule,
  canonicalIssuer,
  isApiOrigin,
  type LifecycleEvent,
  resolvePlatformUrl,
} from '@dowel/schema';
import { type EventAnswer, refuse, superseded } from './event-answer.ts';

/** Events of one second come in any order, and clocks of several senders differ a little. */
const orderToleranceSeconds = 5;

export interface CheckContext {
  /** Where the APIs of an issuer's tenants may be, besides at the issuer's origin. */
  apiOrigins: readonly ApiOriginRule[];
}

/** The answer to an event that must change nothing; undefined when it may be applied. */
export function checkEvent(
  context: CheckContext,
  event: LifecycleEvent,
  installation: Installation,
): EventAnswer | undefined {
  if (event.sub !== 'access_token') return undefined;
  // control C06
  return isOvertaken(event, installation)
    ? superseded
    : checkAddresses(context, event, installation);
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
 * A valid signature is not enough to send a secret elsewhere: `base_url` must be spelled as an issuer may be, and have
 * the issuer's origin or one that a rule allows, and so must the token endpoint. During a life, `base_url` stays the
 * same at its origin. The trigger is judged before (resolve-addresses.ts).
 */
function checkAddresses(
  context: CheckContext,
  { iss, base_url, client }: AccessTokenEvent,
  { baseUrl: pinned }: Installation,
): EventAnswer | undefined {
  const base = readBaseUrl(base_url);
  // control D01
  if (!base || !isApiOrigin(context.apiOrigins, { issuer: iss, url: base })) {
    return refuse('base_url_not_allowed');
  }
  const endpoint = resolveAddress(context, { iss, base_url }, client.token_endpoint_url);
  if (!endpoint || hasOwnParameter(endpoint)) return refuse('relative_url_not_allowed');
  // control D07
  return pinned && isMoved(pinned, base_url) ? refuse('base_url_changed') : undefined;
}

/** Undefined: it is not spelled as an issuer may be. */
export function readBaseUrl(baseUrl: string): URL | undefined {
  return URL.parse(canonicalIssuer(baseUrl) ?? '') ?? undefined;
}

/** Undefined: the address is not below `base_url`, and at no origin that the issuer's tenants may have. */
export function resolveAddress(
  { apiOrigins }: CheckContext,
  { iss, base_url }: Pick<AccessTokenEvent, 'iss' | 'base_url'>,
  address: string,
): URL | undefined {
  try {
    return resolvePlatformUrl(base_url, address, (url) =>
      isApiOrigin(apiOrigins, { issuer: iss, url }),
    );
  } catch {
    return undefined;
  }
}

/** The parameters of a token request. The query of the event must not give them other values. */
const ownParameters = [
  'grant_type',
  'code',
  'refresh_token',
  'client_id',
  'client_secret',
  'scope',
];

function hasOwnParameter({ searchParams }: URL): boolean {
  return ownParameters.some((name) => searchParams.has(name));
}

/** An allowed move to another origin is none: the operator has named it. */
function isMoved(left: string, right: string): boolean {
  const [pinned, named] = [new URL(left), new URL(right)];
  if (pinned.origin !== named.origin) return false;
  const pathOf = ({ pathname }: URL) => pathname.replace(/(?<!\/)\/+$/, '');
  return pathOf(pinned) !== pathOf(named);
}
