/** The causes by which broken installations are grouped. Each has a sentence and what helps. */
import type { InstallationState } from '@dowel/admin-api';
import type { OAuthErrorCode, ReasonWord } from '@dowel/schema';
import type { TFunction } from 'i18next';
import { isCallReason, nameCallReason } from '../shared/call-texts.ts';

export type Cause =
  | 'scope'
  | 'scope_install'
  | 'refused'
  | 'no_refresh_token'
  | 'unanswered'
  | 'unreadable'
  | 'endpoint'
  | 'no_event'
  | 'platform'
  | 'too_many'
  | 'call_token'
  | 'call_scope'
  | 'other';

/** The causes by the `error` of a token endpoint. */
const endpointCauses: Readonly<Record<OAuthErrorCode, Cause>> = {
  access_denied: 'refused',
  authorization_pending: 'other',
  consent_required: 'refused',
  expired_token: 'refused',
  insufficient_scope: 'refused',
  interaction_required: 'refused',
  invalid_client: 'refused',
  invalid_grant: 'refused',
  invalid_request: 'refused',
  invalid_scope: 'refused',
  invalid_target: 'refused',
  invalid_token: 'refused',
  login_required: 'refused',
  server_error: 'endpoint',
  slow_down: 'endpoint',
  temporarily_unavailable: 'endpoint',
  unauthorized_client: 'refused',
  unsupported_grant_type: 'refused',
  unsupported_token_type: 'refused',
};

/** By reason, and by the name of those that are broken without one (`causeNameOf`). */
const causes: Readonly<Partial<Record<ReasonWord | 'no_tokens' | 'unreachable', Cause>>> = {
  ...endpointCauses,
  no_tokens: 'no_event',
  unreachable: 'endpoint',
  scope_missing: 'scope',
  no_refresh_token: 'no_refresh_token',
  refresh_unanswered: 'unanswered',
  code_unanswered: 'unanswered',
  secret_integrity: 'unreadable',
  token_endpoint_unreachable: 'endpoint',
  turn_missed: 'endpoint',
  platform_unreachable: 'platform',
  platform_5xx: 'platform',
  platform_429: 'too_many',
  timed_out: 'platform',
  token_refused: 'call_token',
  no_token: 'call_token',
};

/**
 * @param reason a reason of docs/errors.md; null: there is none.
 * @returns undefined for a healthy installation.
 */
export function causeOf(reason: string | null, state?: InstallationState): Cause | undefined {
  if (state === 'no_tokens' && reason === null) return 'no_event';
  if (reason === null) return undefined;
  if (state === 'install_refused' && reason === 'scope_missing') return 'scope_install';
  if (state === 'calls_failing' && reason === 'scope_missing') return 'call_scope';
  if (reason.startsWith('token_endpoint_answered_')) return 'endpoint';
  const known = Object.hasOwn(causes, reason) ? causes[reason as ReasonWord] : undefined;
  return known ?? 'other';
}

/** `Platform failed`, `Scope missing`: of failing calls, what they meet. Undefined for a healthy installation. */
export function nameCause(
  t: TFunction,
  reason: string | null,
  state?: InstallationState,
): string | undefined {
  if (reason !== null && isCallReason(reason)) return nameCallReason(t, reason);
  const cause = causeOf(reason, state);
  return cause && t(`cause.${cause}`);
}

/** Names for a list of reasons, by reason. For reasons that share a cause, the name contains the difference. */
export function nameReasons(t: TFunction, reasons: readonly string[]): ReadonlyMap<string, string> {
  const nameOf = (reason: string) => nameCause(t, reason) ?? reason;
  const byName = Map.groupBy(reasons, nameOf);
  return new Map(
    reasons.map((reason) => {
      const name = nameOf(reason);
      return [reason, byName.get(name)?.length === 1 ? name : nameApart(t, name, reason)];
    }),
  );
}

function nameApart(t: TFunction, name: string, reason: string): string {
  const [, status] = /^token_endpoint_answered_(\d{3})$/.exec(reason) ?? [];
  if (status !== undefined) return `${name}: ${status}`;
  if (reason === 'token_endpoint_unreachable') return `${name}: ${t('cause.noAnswer')}`;
  return `${name} (${reason})`;
}
