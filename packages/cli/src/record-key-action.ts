import { type AuditEnding, recordAction, type StoreSettings } from '@dowel/installation-store';
import { currentUser } from './current-user.ts';
import { whileOpen } from './while-open.ts';

/** Does something to the encryption keys, with a row in the audit. */
export function recordKeyAction<Outcome>(
  settings: StoreSettings,
  action: 'rotate-keys' | 'prune-keys' | 'reencrypt',
  {
    act,
    describe,
  }: {
    act: () => Promise<Outcome>;
    /** What was done, for the audit; no secret. */
    describe: (outcome: Outcome) => Pick<AuditEnding, 'detail' | 'meaning'>;
  },
): Promise<Outcome> {
  return whileOpen(settings, ({ audit }) =>
    recordAction(audit, {
      entry: { ...currentUser(), action },
      act,
      endingOf: (outcome) => ({ result: 'done', ...describe(outcome) }),
    }),
  );
}
