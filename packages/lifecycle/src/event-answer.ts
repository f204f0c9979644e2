/**
 * What the platform is answered. Success is 201 with JSON (Spec §4.1); a refusal is JSON
 * `{code, message}` with a text that tells an outsider nothing. The reason stays with us.
 */
import type { Refusal } from '@dowel/schema';

/** Why a verified event was refused; for log, metric and dashboard. */
export type RefusalReason = keyof typeof refusals;

export interface EventAnswer {
  status: number;
  body: Refusal | Record<string, never>;
  /** Null when accepted. */
  reason: string | null;
  /** Set when the same event may succeed later. */
  retryAfterSeconds?: number;
}

const refusals = {
  /** `base_url` is not of the issuer's origin: a secret would go elsewhere. */
  base_url_not_allowed: { code: 400, message: 'The event names an address that is not allowed' },
  /** A "relative" path that is not a plain path. */
  relative_url_not_allowed: {
    code: 400,
    message: 'The event names an address that is not allowed',
  },
  /** The token endpoint said no to the code. */
  exchange_rejected: { code: 402, message: 'The authorization code was not accepted' },
  /** The token endpoint answered something else than a token response. */
  token_response_invalid: { code: 402, message: 'The token response was not acceptable' },
  /** The token response belongs to another tenant. */
  token_tenant_mismatch: { code: 402, message: 'The token response was not acceptable' },
  /** An essential scope was not granted (Spec §4.1). */
  scope_missing: { code: 402, message: 'An essential scope was not granted' },
  /** The event belongs to a life of the installation that has ended. */
  after_uninstall: { code: 400, message: 'The plug-in is not installed' },
} as const satisfies Record<string, Refusal>;

export const refusalReasons = Object.keys(refusals) as RefusalReason[];

const retryReason = 'exchange_failed';
const retryAfterSeconds = 5;

export const accepted: EventAnswer = { status: 201, body: {}, reason: null };

/** For a passing fault: nothing was decided, the same event may be sent again. */
export const tryAgain: EventAnswer = {
  status: 503,
  body: { code: 500, message: 'Try again later' },
  reason: retryReason,
  retryAfterSeconds,
};

export function refuse(reason: RefusalReason): EventAnswer {
  return { status: 400, body: refusals[reason], reason };
}

/** The answer that an event got before, from what was recorded of it. */
export function repeatAnswer(reason: string | null): EventAnswer {
  return reason === null ? accepted : refuse(reason as RefusalReason);
}
