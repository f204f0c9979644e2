/** What a call met, in words, with its colour. */
import type { CallEntry } from '@dowel/admin-api';
import type { TFunction } from 'i18next';
import type { Role } from '../role-colors.ts';

type Met = Pick<CallEntry, 'status' | 'fault'>;

const names = [
  'platform_unreachable',
  'platform_5xx',
  'platform_429',
  'platform_4xx',
  'token_refused',
  'no_token',
  'timed_out',
  'scope_missing',
] as const;

const faults = [
  'ECONNRESET',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  'CERT_HAS_EXPIRED',
] as const;

/** `Platform failed`; the code itself for a reason of another version. */
export function nameCallReason(t: TFunction, reason: string | null): string {
  if (reason === null) return t('calls.name.succeeded');
  const name = names.find((each) => each === reason);
  return name ? t(`calls.name.${name}`) : reason;
}

/** `503` or `connection reset`; '' without both. */
export function describeMet(t: TFunction, { status, fault }: Met): string {
  if (status !== null) return String(status);
  const known = faults.find((each) => each === fault);
  return known ? t(`calls.fault.${known}`) : (fault ?? '');
}

/** The plug-in's author can help himself: the tenant is not at fault. */
export function toneOfCall(reason: string | null): Role {
  if (reason === null) return 'ok';
  return reason === 'platform_4xx' ? 'note' : 'bad';
}

/** Whether a cause of an installation comes from its calls. */
export function isCallReason(reason: string): boolean {
  return names.some((each) => each === reason && each !== 'scope_missing');
}
