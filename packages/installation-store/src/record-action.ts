import type { AuditEnding, NewAuditEntry } from './operators/audit-store.ts';
import type { Stores } from './store.ts';

export interface RecordedAction<Outcome> {
  /** What is left out is null. */
  entry: Pick<NewAuditEntry, 'who' | 'role' | 'way' | 'from' | 'action'> & Partial<NewAuditEntry>;
  /** @param auditId of the entry. */
  act: (auditId: number) => Promise<Outcome>;
  /** Default: done. */
  endingOf?: (outcome: Outcome) => AuditEnding;
  /** Of an error that `act` throws. Default: failed. */
  failureOf?: (error: unknown) => AuditEnding;
}

/**
 * Does what an operator wants. Its row in the audit is written before, and the result after it.
 *
 * @throws what `act` throws; StoreError, when a row cannot be written. Without the first one nothing is done.
 */
export async function recordAction<Outcome>(
  audit: Pick<Stores['audit'], 'begin' | 'end'>,
  { entry, act, endingOf = () => done, failureOf = () => failedEnding }: RecordedAction<Outcome>,
): Promise<Outcome> {
  const id = await audit.begin({
    installationId: null,
    target: null,
    reason: null,
    runId: null,
    ...entry,
  });
  let outcome: Outcome;
  try {
    outcome = await act(id);
  } catch (error) {
    // The error of the action says more than that of the audit.
    await audit.end(id, failureOf(error)).catch(() => undefined);
    throw error;
  }
  await audit.end(id, endingOf(outcome));
  return outcome;
}

const done: AuditEnding = { result: 'done', detail: null };

/** The end of an action that failed for a reason that only the log has. */
export const failedEnding: AuditEnding = {
  result: 'failed',
  detail: 'It failed; see the log.',
  meaning: { kind: 'failed' },
};
