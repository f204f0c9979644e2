/** The values that each label may have. Reasons are the words of `reasons.ts` in `@dowel/schema`. */
import { stateGroupSchema } from '@dowel/admin-api';
import type { StoreFigures } from '@dowel/installation-store';
import { explainReason, lifecycleEventNames } from '@dowel/schema';
import type { TokenClientErrorCode } from '@dowel/token-client';
import type { HookData, HookObservation } from '../hooks/hooks.ts';

const hookEvents: Record<keyof HookData, true> = {
  installed: true,
  tokensReceived: true,
  instanceAdded: true,
  instanceRemoved: true,
  broken: true,
  recovered: true,
  uninstalled: true,
};

const hookOutcomes: Record<HookObservation['type'], string> = {
  'hook.delivered': 'delivered',
  'hook.failed': 'failed',
  'hook.parked': 'parked',
  'hook.superseded': 'superseded',
};

const refusalCodes: Record<Exclude<TokenClientErrorCode, 'CALL_TIMED_OUT'> | 'RATE_LIMITED', true> =
  {
    GRANT_NOT_FOUND: true,
    INSTALLATION_PAUSED: true,
    TOKEN_UNAVAILABLE: true,
    REFRESH_FAILED: true,
    TOO_MANY_WAITING: true,
    TOO_MANY_UNANSWERED: true,
    RATE_LIMITED: true,
  };

export const hookEventNames = Object.keys(hookEvents);
export const hookOutcomeNames = Object.values(hookOutcomes);
const statuses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
const connectionStates: Record<keyof NonNullable<StoreFigures['connections']>, true> = {
  used: true,
  idle: true,
  waiting: true,
};

/** By label. Besides them there are `reason`, `version`, and the numbers of `le` and `quantile`. */
export const labelValues: Record<string, readonly string[]> = {
  event: [...lifecycleEventNames, ...hookEventNames],
  outcome: ['ok', 'failed', ...hookOutcomeNames],
  kind: ['exchange', 'refresh', 'trigger'],
  status: statuses,
  code: Object.keys(refusalCodes),
  state: [...stateGroupSchema.options, ...Object.keys(connectionStates)],
};

export type CallStatus = (typeof statuses)[number];

/** Of an answer with a status that HTTP does not know, `5xx`. */
export function statusClass(status: number): CallStatus {
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}

/** '' for no reason. `other` for a word that is not in the list: it could be anything. */
export function reasonLabel(reason: string | null): string {
  if (reason === null) return '';
  return explainReason(reason) ? reason : 'other';
}

export function hookOutcome(type: HookObservation['type']): string {
  return hookOutcomes[type];
}

/** Undefined: the call may have been sent. */
export function refusalCode(code: unknown): string | undefined {
  return typeof code === 'string' && Object.hasOwn(refusalCodes, code) ? code : undefined;
}
