/**
 * Records when an answer of the token endpoint is stored in the database. Before that, the lease may end, and
 * another process may present the same refresh token.
 */
import { defaultPolicy } from '@dowel/token-client';
import type { Simulation } from '../simulation.ts';
import type { Presentation } from './presentations.ts';

/** Infinity: it has not happened. */
export interface AnswerRecord {
  answeredAt: number;
  /** When its process began a transaction, at the moment of the answer. */
  askedAt: number;
  /** When the database had stored the new tokens, or that there will be none. */
  doneAt: number;
}

const never = Number.POSITIVE_INFINITY;

/** No answer was read. */
export const noRecord: Readonly<AnswerRecord> = {
  answeredAt: never,
  askedAt: never,
  doneAt: never,
};

export function answeredNow({ scheduler }: Simulation): AnswerRecord {
  return { ...noRecord, answeredAt: scheduler.now() };
}

export function askForRecord({ scheduler }: Simulation, record: AnswerRecord): void {
  if (record.answeredAt === scheduler.now()) record.askedAt = scheduler.now();
}

export function endRecord({ scheduler }: Simulation, record: AnswerRecord): void {
  record.doneAt = Math.min(record.doneAt, scheduler.now());
}

/**
 * The lease of the earlier presentation ended before its answer was stored. No process can prevent that: an
 * extension of the lease would be delayed as well, and the next process cannot distinguish this from the lease of a
 * killed process. The compare-and-swap and the trigger repair it. It is allowed only if the process began to store
 * the answer at the moment at which it read it, and if the next lease began after the end of this one and before
 * the answer was stored.
 */
export function isRecordLate({ kind, heldAt, record }: Presentation, next: Presentation): boolean {
  const isAskedAtOnce = record.askedAt === record.answeredAt;
  const isLeaseOver = next.heldAt >= heldAt + defaultPolicy.leaseMs;
  return kind === 'refresh token' && isAskedAtOnce && isLeaseOver && record.doneAt > next.heldAt;
}
