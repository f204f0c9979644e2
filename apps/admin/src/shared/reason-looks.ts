/** The short name of each reason, and what an operator can do about it. */
import type { ReasonWord } from '@dowel/schema';
import type { TFunction } from 'i18next';

/** The key of the text about what helps. The last three mean that nothing needs to be done. */
type Help =
  | 'trust'
  | 'clock'
  | 'audience'
  | 'keyHost'
  | 'report'
  | 'pluginIds'
  | 'install'
  | 'widget'
  | 'nonce'
  | 'proxy'
  | 'database'
  | 'log'
  | 'again'
  | 'nothing'
  | 'ignore';

/**
 * By reason. A JWT that was refused before its signature was verified may come from anybody. After that it is
 * from the platform, so somebody can help.
 */
const helps = {
  body_too_large: 'ignore',
  bad_media_type: 'ignore',
  bad_request: 'ignore',
  body_broke_off: 'again',
  signature_invalid: 'ignore',
  issuer_key_mismatch: 'trust',
  jku_not_allowed: 'trust',
  key_fetch_failed: 'keyHost',
  key_fetch_limited: 'ignore',
  key_not_acceptable: 'report',
  alg_not_allowed: 'ignore',
  header_not_allowed: 'ignore',
  bad_token_format: 'ignore',
  claims_invalid: 'audience',
  sub_mismatch: 'report',
  expired: 'clock',
  not_yet_valid: 'clock',
  rate_limited: 'proxy',
  verifications_full: 'ignore',
  lagging: 'database',
  database_busy: 'database',
  database_unreachable: 'database',
  internal_error: 'log',
  plugin_not_ours: 'pluginIds',
  plugin_mismatch: 'report',
  not_installed: 'again',
  base_url_not_allowed: 'log',
  base_url_changed: 'install',
  relative_url_not_allowed: 'log',
  after_uninstall: 'nothing',
  superseded: 'nothing',
  in_progress: 'again',
  exchange_failed: 'again',
  exchange_rejected: 'report',
  hook_refused: 'log',
  hook_failed: 'log',
  hook_timed_out: 'log',
  hooks_full: 'log',
  scope_missing: 'report',
  token_response_invalid: 'report',
  token_tenant_mismatch: 'report',
  tenant_unknown: 'install',
  instance_unknown: 'widget',
  session_nonce_unknown: 'nonce',
  session_of_earlier_life: 'again',
  session_replay: 'again',
} as const satisfies Record<string, Help>;

/**
 * Reasons without a name here, on which an operator must act. Not read from the list of all reasons, because a page
 * would load its sentences.
 */
const logged: ReadonlySet<string> = new Set<ReasonWord>([
  'address_not_allowed',
  'trigger_address_not_allowed',
  'secret_integrity',
]);

type NamedReason = keyof typeof helps;

function isNamed(reason: string): reason is NamedReason {
  return Object.hasOwn(helps, reason);
}

/** The code itself for a reason that has no name here. */
export function nameReason(t: TFunction, reason: string): string {
  return isNamed(reason) ? t(`events.name.${reason}`) : reason;
}

export function helpOf(reason: string): Help {
  if (isNamed(reason)) return helps[reason];
  return logged.has(reason) ? 'log' : 'ignore';
}

/** Whether the operator can do something. */
export function canHelp(reason: string): boolean {
  const help = helpOf(reason);
  return help !== 'ignore' && help !== 'again' && help !== 'nothing';
}
