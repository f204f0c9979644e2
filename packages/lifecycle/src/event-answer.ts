/**
 * The answers to the platform. Success is 201 with JSON (Spec §4.1). A refusal is JSON `{code, message}` with
 * a text that reveals nothing: the reason is not sent. The reasons for these statuses:
 * docs/decisions/0004-refusals-on-the-wire.md.
 */
import type { Verdict } from '@dowel/installation-store';
import type { Reason, Refusal } from '@dowel/schema';

export interface EventAnswer extends Verdict {
  body: Refusal | Record<string, never>;
  /** Set when the event was not decided: the same event may succeed later. */
  retryAfterSeconds?: number;
}

/** Why a verified event is refused permanently, for log, metric and dashboard. */
export type RefusalReason = keyof typeof refusals;

/** A temporary failure: the same event may come again. */
export type RetryReason = keyof typeof retries;

const refusals = {
  /** `base_url` does not have the issuer's origin, so a secret would go elsewhere. */
  base_url_not_allowed: { code: 400, message: 'The event names an address that is not allowed' },
  /** `base_url` differs from the one at the start of this life of the installation. */
  base_url_changed: { code: 400, message: 'The event names an address that is not allowed' },
  /** A "relative" path that is not a plain path. */
  relative_url_not_allowed: {
    code: 400,
    message: 'The event names an address that is not allowed',
  },
  /** The token endpoint refused the code. */
  exchange_rejected: { code: 402, message: 'The authorization code was not accepted' },
  /** The token endpoint did not answer with a token response. */
  token_response_invalid: { code: 402, message: 'The token response was not acceptable' },
  /** The token response belongs to another tenant. */
  token_tenant_mismatch: { code: 402, message: 'The token response was not acceptable' },
  /** An essential scope was not granted (Spec §4.1). */
  scope_missing: { code: 402, message: 'An essential scope was not granted' },
  /** The installation belongs to another plug-in of this back end, so the event came to the wrong URL. */
  plugin_mismatch: { code: 400, message: 'The event was sent to the URL of another plug-in' },
  /** The event belongs to a life of the installation that has ended. */
  after_uninstall: { code: 400, message: 'The plug-in is not installed' },
} as const satisfies Partial<Record<Reason, Refusal>>;

const retries = {
  /** The token endpoint is down or returned nonsense. */
  exchange_failed: { status: 503, retryAfterSeconds: 5 },
  /** Another delivery of the same event is still being decided. */
  in_progress: { status: 503, retryAfterSeconds: 5 },
  /** An event about an instance arrived before the event that begins its installation. */
  not_installed: { status: 503, retryAfterSeconds: 5 },
  /** The plug-in's `beforeInstall` threw. */
  hook_failed: { status: 503, retryAfterSeconds: 5 },
  /** The plug-in's `beforeInstall` took too long. */
  hook_timed_out: { status: 503, retryAfterSeconds: 5 },
  /** Too many `beforeInstall` run at once. */
  hooks_full: { status: 503, retryAfterSeconds: 5 },
  /** Too many access_token events for one installation. */
  rate_limited: { status: 429, retryAfterSeconds: 60 },
} as const satisfies Partial<Record<Reason, object>>;

export const accepted: EventAnswer = { status: 201, body: {}, reason: null };

/** Accepted, but tokens of a newer event are stored already and are kept. */
export const superseded: EventAnswer = { status: 201, body: {}, reason: 'superseded' };

export function refuse(reason: RefusalReason): EventAnswer {
  return { status: 400, body: refusals[reason], reason };
}

const maxMessageCharacters = 200;
const installRefused = 'The plug-in refused the installation';

/** @param text the plug-in's own; control characters become spaces. */
export function refuseInstall(text: string): EventAnswer {
  const printable = text
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, maxMessageCharacters);
  const message = printable || installRefused;
  return { status: 400, body: { code: 400, message }, reason: 'hook_refused', message };
}

export function retryLater(reason: RetryReason): EventAnswer {
  return { ...retries[reason], body: { code: 500, message: 'Try again later' }, reason };
}

/** The earlier answer to an event, from its stored verdict. */
export function repeatAnswer({ status, reason, message }: Verdict): EventAnswer {
  if (message) return { status, body: { code: status, message }, reason };
  const body = reason !== null && reason in refusals ? refusals[reason as RefusalReason] : {};
  return { status, body, reason };
}
