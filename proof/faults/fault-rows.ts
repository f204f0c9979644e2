/** For each fault the mistake of a back end that does not survive it. */
import type { FaultName } from '@dowel/emulator';
import type { Mistake } from './naive-back-end.ts';
import type { PlayChoice } from './play-fault.ts';

interface Row extends PlayChoice {
  mistake: Mistake;
  /** Takes the time limits of a back end, so it is played in the long tier. */
  isSlow?: true;
}

export const rows: Record<FaultName, Row> = {
  'token.lostAnswer': { mistake: 'sharesNothing', uses: 3 },
  'token.hang': { mistake: 'hasNoTimeLimit', isSlow: true },
  'token.slow': { mistake: 'answersFirst', options: { ms: 100 } },
  'token.unavailable': { mistake: 'answersFirst' },
  'token.limited': { mistake: 'answersFirst' },
  'token.refused': { mistake: 'answersFirst' },
  'token.notJson': { mistake: 'trustsStatus' },
  'token.cutOff': { mistake: 'trustsStatus' },
  'token.oversized': { mistake: 'trustsStatus' },
  'token.answer': { mistake: 'refusesUnknown' },
  'trigger.refused': { mistake: 'sharesNothing', uses: 3 },
  'trigger.silent': { mistake: 'sharesNothing', uses: 3 },
  'trigger.late': { mistake: 'sharesNothing', uses: 3, options: { ms: 300 } },
  'event.repeated': { mistake: 'treatsCopiesAsNew' },
  'event.late': { mistake: 'ignoresOrder' },
  'event.claims': { mistake: 'refusesUnknown' },
  'event.clock': { mistake: 'believes' },
  'event.keyRotated': { mistake: 'keepsFirstKey' },
  'event.reordered': { mistake: 'needsInstall' },
  'event.afterUninstall': { mistake: 'answersFirst' },
  'key.down': { mistake: 'failsOpen' },
  'key.slow': { mistake: 'believes', options: { ms: 100 } },
  'key.redirect': { mistake: 'followsRedirects' },
  'key.notFound': { mistake: 'failsOpen' },
  'api.unauthorized': { mistake: 'sharesNothing' },
  'api.scopeWithdrawn': { mistake: 'refreshesAlways' },
  'api.limited': { mistake: 'insists' },
  'api.status': { mistake: 'insists' },
  'api.hang': { mistake: 'hasNoTimeLimit', isSlow: true },
  'api.off': { mistake: 'insists' },
};

/** Returns the names of the quick rows, or of the slow ones. */
export function namesOf({ isSlow }: { isSlow: boolean }): FaultName[] {
  const names = Object.keys(rows) as FaultName[];
  return names.filter((name) => (rows[name].isSlow ?? false) === isSlow);
}
