/**
 * The way of an answer of the token endpoint into the database. While the record is on that way, the lease may
 * end, and another process may present the same refresh token.
 */
import { defaultPolicy } from '@dowel/token-client';
import type { Simulation } from '../simulation.ts';
import type { Presentation } from './presentations.ts';

/** Infinite: it has not happened. */
export interface AnswerRecord {
  answeredAt: number;
  /** When its process asked the database for a transaction, in the moment of the answer. */
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
 * The lease of the earlier presentation ended while the record of its answer was on the way to the database. No
 * process can rule that out: an extension of the lease would take the same way, and the next process finds a
 * lease that has ended, as that of a process that was killed. The compare-and-swap and the trigger set it
 * right. This is allowed only if the process asked for the record in the moment in which it read the answer,
 * and if the next lease began after the end of this one and before the record was stored.
 */
export function isRecordLate({ kind, heldAt, record }: Presentation, next: Presentation): boolean {
  const isAskedAtOnce = record.askedAt === record.answeredAt;
  const isLeaseOver = next.heldAt >= heldAt + defaultPolicy.leaseMs;
  return kind === 'refresh token' && isAskedAtOnce && isLeaseOver && record.doneAt > next.heldAt;
}
