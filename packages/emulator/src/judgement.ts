/** What a judge of a play looks at, and what it may say. */
import type { ExchangeSummary } from './exchange-schema.ts';

export interface Evidence {
  /** The fault's name. */
  name: string;
  /** Of the plug-in, and of key documents, since the play began, oldest first. */
  exchanges: readonly ExchangeSummary[];
  /** Epoch milliseconds. */
  now: number;
}

/** `waiting`: no request has met the fault. `running`: what counts has not happened yet. */
export type Judgement =
  | 'waiting'
  | 'running'
  | 'apart'
  | 'useAgain'
  | (typeof goodJudgements)[number]
  | (typeof badJudgements)[number];

export const goodJudgements = [
  'accepted',
  'refused',
  'healed',
  'oneRefresh',
  'oneTrigger',
  'sameAnswer',
  'lives',
  'waited',
  'noRetry',
  'gaveUp',
] as const;

export const badJudgements = [
  'wronglyAccepted',
  'withoutTokens',
  'wronglyRefused',
  'notJson',
  'unanswered',
  'notHealed',
  'manyTriggers',
  'manyRefreshes',
  'notRefreshed',
  'otherAnswer',
  'codeTwice',
  'ended',
  'tooSoon',
  'refreshed',
  'hangs',
] as const;

/** Returns `waiting` as long as no request has met the fault, never a good judgement. */
export type Judge = (evidence: Evidence) => Judgement;
