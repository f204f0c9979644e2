/** How each fault is played: its options, what makes a request meet it, and how its end is judged. */
import type { FaultName } from '@dowel/emulator/control-api';
import {
  expectAccepted,
  expectRefused,
  type Judge,
  judgeCopies,
  judgeHealing,
  judgeLateUninstall,
  judgeOneCall,
  judgeRace,
  judgeWaiting,
} from './judges.ts';

export interface Plan {
  options: Record<string, unknown>;
  /** The next event is signed with a key that the back end does not have. */
  rotatesKey?: true;
  /** What is done for the person. Default: nothing. */
  start?: 'sendEvent' | 'revokeAccessTokens' | 'revokeAllTokens' | 'installAgain';
  /** What the person has to do, if anything. */
  asks?: 'useWidget' | 'useTwice';
  /** Null: the requests cannot show it. */
  judge: Judge | null;
}

const withEvent = (
  judge: Judge,
  options: Record<string, unknown> = {},
  more: Partial<Plan> = {},
): Plan => ({ options, start: 'sendEvent', judge, ...more });

const withCode = (judge: Judge, options: Record<string, unknown> = {}) =>
  withEvent(judge, { on: 'code', ...options });

const withNewKey = (judge: Judge) => withEvent(judge, {}, { rotatesKey: true });

const withCall = (judge: Judge | null, options: Record<string, unknown> = {}): Plan => ({
  options,
  asks: 'useWidget',
  judge,
});

const withTrigger: Plan = {
  options: {},
  start: 'revokeAllTokens',
  asks: 'useWidget',
  judge: null,
};

export const plans: Record<FaultName, Plan> = {
  'token.lostAnswer': {
    options: { on: 'refresh' },
    start: 'revokeAccessTokens',
    asks: 'useWidget',
    judge: judgeHealing,
  },
  'token.hang': withCode(expectRefused),
  'token.slow': withCode(expectAccepted, { ms: 20_000 }),
  'token.unavailable': withCode(expectRefused),
  'token.limited': withCode(expectRefused),
  'token.refused': withCode(expectRefused),
  'token.notJson': withCode(expectRefused),
  'token.cutOff': withCode(expectRefused),
  'token.oversized': withCode(expectRefused),
  'token.answer': withCode(expectAccepted, { set: { unknown_member: true } }),
  'trigger.refused': withTrigger,
  'trigger.silent': withTrigger,
  'trigger.late': withTrigger,
  'event.repeated': withEvent(judgeCopies),
  'event.late': {
    options: { on: 'uninstall', until: 'install' },
    start: 'installAgain',
    judge: judgeLateUninstall,
  },
  'event.claims': withEvent(expectAccepted, { set: { unknown: true } }),
  // Behind: an event ahead would make the later ones old.
  'event.clock': withEvent(expectRefused, { seconds: -600 }),
  'event.keyRotated': withEvent(expectAccepted),
  'event.reordered': { options: {}, start: 'installAgain', judge: expectAccepted },
  'event.afterUninstall': { options: {}, start: 'installAgain', judge: null },
  'key.down': withNewKey(expectRefused),
  'key.slow': { ...withNewKey(expectAccepted), options: { ms: 2_000 } },
  'key.redirect': withNewKey(expectRefused),
  'key.notFound': withNewKey(expectRefused),
  'api.unauthorized': { options: { hold: 2 }, asks: 'useTwice', judge: judgeRace },
  'api.scopeWithdrawn': withCall(judgeOneCall),
  'api.limited': withCall(judgeWaiting, { retryAfter: 5 }),
  'api.status': withCall(judgeOneCall),
  'api.hang': withCall(null),
  'api.off': withCall(judgeOneCall),
};
