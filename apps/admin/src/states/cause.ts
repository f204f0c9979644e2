/** The causes by which broken installations are grouped. Each has a sentence and what helps. */
import { explainReason, type InstallationState, isOAuthErrorCode } from '@dowel/schema';
import type { TFunction } from 'i18next';

export type Cause =
  | 'scope'
  | 'scope_install'
  | 'refused'
  | 'no_refresh_token'
  | 'unanswered'
  | 'unreadable'
  | 'endpoint'
  | 'no_event'
  | 'other';

const causes: Readonly<Record<string, Cause>> = {
  scope_missing: 'scope',
  no_refresh_token: 'no_refresh_token',
  refresh_unanswered: 'unanswered',
  code_unanswered: 'unanswered',
  secret_integrity: 'unreadable',
  token_endpoint_unreachable: 'endpoint',
  turn_missed: 'endpoint',
  temporarily_unavailable: 'endpoint',
  server_error: 'endpoint',
  slow_down: 'endpoint',
};

/**
 * @param reason a reason of docs/errors.md; null: there is none.
 * @returns undefined for an installation that has no trouble.
 */
export function causeOf(reason: string | null, state?: InstallationState): Cause | undefined {
  if (state === 'no_tokens' && reason === null) return 'no_event';
  if (reason === null) return undefined;
  if (state === 'install_refused' && reason === 'scope_missing') return 'scope_install';
  const known = Object.hasOwn(causes, reason) ? causes[reason] : undefined;
  if (known) return known;
  if (reason.startsWith('token_endpoint_answered_')) return 'endpoint';
  return isOAuthErrorCode(reason) && !explainReason(reason)?.isTemporary ? 'refused' : 'other';
}

/** Names for a list of reasons, by reason. Reasons that share a cause have their code in the name. */
export function nameReasons(t: TFunction, reasons: readonly string[]): ReadonlyMap<string, string> {
  const nameOf = (reason: string) => t(`cause.${causeOf(reason) ?? 'other'}`);
  const byName = Map.groupBy(reasons, nameOf);
  return new Map(
    reasons.map((reason) => {
      const name = nameOf(reason);
      return [reason, byName.get(name)?.length === 1 ? name : `${name} (${reason})`];
    }),
  );
}
