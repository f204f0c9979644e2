/**
 * Converts errors of `pg`. Its `detail`, `where` and some messages quote values of rows and parameters, so
 * only PostgreSQL's own names and the SQLSTATE are kept.
 */
import pg from 'pg';
import { StoreError } from '../errors.ts';

/** Classes and codes that are not about the statement: connection, resources, shutdown, time-out, standby. */
const passing = /^(?:08|53|57|58)|^(?:25006|25P03|25P04|40001|40P01|55P03)$/;
/** Those that come from a server that works but is too busy: conflicts, time limits, too many connections. */
const busy = /^(?:40001|40P01|55P03|57014|25P03|25P04|53300|53400)$/;
/** The server is a standby, or was set read-only. */
const readOnly = '25006';
/** The server's disk is full, or fails. */
const ofDisk = /^(?:53100|58030)$/;
/** Either of them. */
const takesNone = /^(?:25006|53100|58030)$/;
/** The connection ends, perhaps after a commit. */
const ending = /^(?:08|57P)/;
/** The login or the database's name is wrong. */
const refused = /^(?:28|3D)/;
/** Classes whose messages quote values. */
const quoting = /^(?:22|P0|XX)/;

/** The server is not used: it is a standby, or set read-only. */
export class ReadOnlyServerError extends Error {
  override readonly name = 'ReadOnlyServerError';
}

/** An error that PostgreSQL answered to a statement. */
class PostgresError extends Error {
  override readonly name = 'PostgresError';
  /** The SQLSTATE. */
  readonly code: string;

  constructor({ code = 'XX000', message }: Pick<pg.DatabaseError, 'code' | 'message'>) {
    super(quoting.test(code) ? `PostgreSQL error ${code}` : message);
    this.code = code;
  }
}

/**
 * @param database the database's name for messages, without its password.
 * @param isSent false: there was no connection, so the statement was not sent.
 */
export function toStoreError(error: unknown, database: string, isSent = true): Error {
  if (error instanceof pg.DatabaseError) {
    const cause = new PostgresError(error);
    // Any other error is PostgreSQL's answer, and it has undone the statement and its transaction.
    const isUnwritten = !isSent || !ending.test(cause.code);
    if (passing.test(cause.code)) return unavailable(database, cause, isUnwritten);
    return refused.test(cause.code) ? unusable(database, cause) : cause;
  }
  // A TypeError is a bug in this code. All other errors of `pg` are about the connection.
  if (!(error instanceof Error) || error instanceof TypeError) return error as Error;
  return unavailable(database, error, !isSent);
}

/**
 * Whether another connection is needed: the state of this one is unknown, because the server has not answered, or its
 * server takes no writes. After a failover, a new connection finds the server that does.
 */
export function needsNewConnection(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || error.code === readOnly;
}

/** Whether the server did not answer, or ended the connection: another connection may be answered. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return ending.test(error.code ?? '');
  return error instanceof Error && !(error instanceof TypeError);
}

/** Whether the server has no slot for another connection. */
export function isWithoutSlot(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53300';
}

/** Whether the server's disk refused the statement. */
export function isOfDisk(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ofDisk.test(error.code ?? '');
}

/** Whether the same transaction may succeed in another run. PostgreSQL has rolled it back. */
export function isConflict(error: unknown): boolean {
  const { code } = ((error as Error | undefined)?.cause ?? {}) as { code?: string };
  return code === '40001' || code === '40P01';
}

function unavailable(
  database: string,
  cause: Error & { code?: string },
  isUnwritten: boolean,
): StoreError {
  // For a name with several addresses, the error has no message of its own.
  const text = cause.message || cause.code;
  const isBusy = busy.test(cause.code ?? '');
  const takesNoWrites = cause instanceof ReadOnlyServerError || takesNone.test(cause.code ?? '');
  return new StoreError('DATABASE_UNAVAILABLE', `${database} cannot be used now: ${text}`, {
    cause,
    reason: isBusy ? 'database_busy' : 'database_unreachable',
    isUnwritten,
    lack: takesNoWrites ? 'writes' : isBusy ? undefined : 'answers',
  });
}

function unusable(database: string, cause: Error): StoreError {
  return new StoreError('DATABASE_UNUSABLE', `${database} cannot be used: ${cause.message}`, {
    cause,
  });
}
