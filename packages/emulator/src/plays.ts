/** How each fault is played: its options, what makes a request meet it, and how its end is judged. */
import type { FaultName } from './fault-schema.ts';
import type { Judge } from './judgement.ts';
import {
  expectNoTokens,
  expectTokens,
  judgeClock,
  judgeCopies,
  judgeEvent,
  judgeHangingCall,
  judgeHealing,
  judgeLateUninstall,
  judgeMissingKey,
  judgeNewKey,
  judgeOneCall,
  judgeOneTrigger,
  judgeRace,
  judgeRefusal,
  judgeReordered,
  judgeWaiting,
  retryAfterMs,
} from './judges.ts';

export { badJudgements, goodJudgements, type Judgement } from './judgement.ts';

export interface Play {
  options: Record<string, unknown>;
  /** Of the same fault for an event before. */
  firstOptions?: Record<string, unknown>;
  /** The next event is signed with a key that the back end does not have. */
  rotatesKey?: true;
  /** What is done for the person. Default: nothing. */
  start?: 'sendEvent' | 'revokeAccessTokens' | 'revokeAllTokens' | 'installAgain';
  /** What the person has to do, if anything. */
  asks?: 'useWidget' | 'useTwice';
  judge: Judge;
}

const withEvent = (judge: Judge, options: Record<string, unknown> = {}): Play => ({
  options,
  start: 'sendEvent',
  judge,
});

const withCode = (judge: Judge, options: Record<string, unknown> = {}) =>
  withEvent(judge, { on: 'code', ...options });

const withNewKey = (judge: Judge, options: Record<string, unknown> = {}): Play => ({
  ...withEvent(judge, options),
  rotatesKey: true,
});

const withCall = (judge: Judge, options: Record<string, unknown> = {}): Play => ({
  options,
  asks: 'useWidget',
  judge,
});

const withTrigger = (judge: Judge): Play => ({
  ...withCall(judge),
  start: 'revokeAllTokens',
});

const withNewLife = (judge: Judge, options: Record<string, unknown> = {}): Play => ({
  options,
  start: 'installAgain',
  judge,
});

export const plays: Record<FaultName, Play> = {
  'token.lostAnswer': {
    ...withCall(judgeHealing, { on: 'refresh' }),
    start: 'revokeAccessTokens',
  },
  'token.hang': withCode(expectNoTokens),
  'token.slow': withCode(expectTokens, { ms: 20_000 }),
  'token.unavailable': withCode(expectNoTokens),
  'token.limited': withCode(expectNoTokens),
  'token.refused': withCode(expectNoTokens),
  'token.notJson': withCode(expectNoTokens),
  'token.cutOff': withCode(expectNoTokens),
  'token.oversized': withCode(expectNoTokens),
  'token.answer': withCode(expectTokens, { set: { unknown_member: true } }),
  'trigger.refused': withTrigger(judgeOneTrigger),
  'trigger.silent': withTrigger(judgeOneTrigger),
  'trigger.late': withTrigger(judgeHealing),
  'event.repeated': withEvent(judgeCopies),
  'event.late': withNewLife(judgeLateUninstall, { on: 'uninstall', until: 'access_token' }),
  'event.claims': withEvent(judgeEvent, { set: { unknown: true } }),
  'event.clock': { ...withEvent(judgeClock), firstOptions: { seconds: 2 } },
  'event.keyRotated': withEvent(judgeNewKey),
  'event.reordered': withNewLife(judgeReordered),
  'event.afterUninstall': withNewLife(judgeRefusal),
  'key.down': withNewKey(judgeMissingKey),
  'key.slow': withNewKey(judgeNewKey, { ms: 2_000 }),
  'key.redirect': withNewKey(judgeMissingKey),
  'key.notFound': withNewKey(judgeMissingKey),
  'api.unauthorized': { ...withCall(judgeRace, { hold: 2 }), asks: 'useTwice' },
  'api.scopeWithdrawn': withCall(judgeOneCall),
  'api.limited': withCall(judgeWaiting, { retryAfter: retryAfterMs / 1_000 }),
  'api.status': withCall(judgeOneCall),
  'api.hang': withCall(judgeHangingCall),
  'api.off': withCall(judgeOneCall),
};

/**
 * Returns the faults of a play, in the order in which they are switched on.
 *
 * @param changes replace options of the play
 */
export function faultsOf(
  name: FaultName,
  { pluginId, changes }: { pluginId: string; changes?: Play['options'] | undefined },
): (Play['options'] & { name: FaultName })[] {
  const { options, firstOptions, rotatesKey } = plays[name];
  const owner = name.startsWith('key.') ? {} : { pluginId };
  return [
    ...(firstOptions ? [{ name, ...firstOptions, ...owner }] : []),
    { name, ...options, ...changes, ...owner },
    ...(rotatesKey ? [{ name: 'event.keyRotated' as const, pluginId }] : []),
  ];
}
