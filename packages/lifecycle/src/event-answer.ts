/**
 * The answers to the platform. Success is 201 with JSON (Spec §4.1). A refusal is JSON `{code, message}` with
 * a text that reveals nothing: the reason is not sent. The reasons for these statuses:
 * docs/decisions/0010-reception-of-events.md.
 */
import type { OtherAddress, Verdict } from '@dowel/installation-store';
import type { Reason, Refusal } from '@dowel/schema';

export interface EventAnswer extends Verdict {
  body: Refusal | Record<string, never>;
  /** Set when the event was not decided: the same event may succeed later. */
  retryAfterSeconds?: number;
  /** An earlier delivery of the same event got this answer. */
  isRepeat?: true;
  /**
   * Only of an access_token event whose tokens were stored: its tenant has the plug-in under these older addresses, too,
   * which was not known before.
   */
  olderAddresses?: { installationId: string; others: readonly OtherAddress[] };
}

/** Why a verified event is refused permanently, for log, metric and dashboard. */
export type RefusalReason = keyof typeof refusals;

/** What each reason means: reasons.ts of `@dowel/schema`. */
const refusals = {
  base_url_not_allowed: { code: 400, message: 'The event names an address that is not allowed' },
  base_url_changed: { code: 400, message: 'The event names an address that is not allowed' },
  relative_url_not_allowed: {
    code: 400,
    message: 'The event names an address that is not allowed',
  },
  exchange_rejected: { code: 402, message: 'The authorization code was not accepted' },
  token_response_invalid: { code: 402, message: 'The token response was not acceptable' },
  token_tenant_mismatch: { code: 402, message: 'The token response was not acceptable' },
  scope_missing: { code: 402, message: 'An essential scope was not granted' },
  plugin_mismatch: { code: 400, message: 'The event was sent to the URL of another plug-in' },
  after_uninstall: { code: 400, message: 'The plug-in is not installed' },
} as const satisfies Partial<Record<Reason, Refusal>>;

export const accepted: EventAnswer = { status: 201, body: {}, reason: null };

/** Accepted, but tokens of a newer event are stored already and are kept. */
export const superseded: EventAnswer = { status: 201, body: {}, reason: 'superseded' };

export function refuse(reason: RefusalReason): EventAnswer {
  return { status: 400, body: refusals[reason], reason };
}

const maxMessageCharacters = 200;
const installRefused = 'The plug-in refused the installation';

/** @param text the plug-in's own; control characters become spaces. Anything else stands for no text. */
export function refuseInstall(text: unknown): EventAnswer {
  const own = typeof text === 'string' ? text : '';
  // Cut first: half a character at the end is then replaced, too.
  const printable = own
    .trim()
    .slice(0, maxMessageCharacters)
    .replaceAll(/\p{C}+/gu, ' ')
    .trim();
  const message = printable || installRefused;
  return { status: 400, body: { code: 400, message }, reason: 'hook_refused', message };
}

/**
 * Nothing was decided: the same event may come again.
 *
 * @param retryAfterSeconds default 5. Always 60 for `rate_limited`.
 */
export function retryLater(reason: Reason, retryAfterSeconds = 5): EventAnswer {
  const body = { code: 500, message: 'Try again later' };
  if (reason === 'rate_limited') return { status: 429, body, reason, retryAfterSeconds: 60 };
  return { status: 503, body, reason, retryAfterSeconds };
}

/** The earlier answer to an event, from its stored verdict. */
export function repeatAnswer({ status, reason, message }: Verdict): EventAnswer {
  if (message) return { status, body: { code: status, message }, reason, isRepeat: true };
  const body = reason !== null && reason in refusals ? refusals[reason as RefusalReason] : {};
  return { status, body, reason, isRepeat: true };
}
