/** Opens one connection: to the server that answered last, or to the next one that takes writes. */
import pg from 'pg';
import { isWithoutSlot } from './postgres-error.ts';
import type { PostgresSettings, TimeLimits } from './postgres-url.ts';

/**
 * Calls `connect` until a server takes the connection, each server once. `connect` uses
 * `settings.servers[settings.last.index]`.
 *
 * @throws the error of a server without a free slot, else of the last server; at once, what another server would answer
 * too, such as a wrong password.
 */
export async function tryServers<Connected>(
  { servers, last }: PostgresSettings,
  connect: () => Promise<Connected>,
): Promise<Connected> {
  let full: unknown;
  for (let tried = 1; ; tried += 1) {
    const { index } = last;
    try {
      return await connect();
    } catch (error) {
      if (isWithoutSlot(error)) full = error;
      if (tried >= servers.length || !mayOtherAnswer(error)) throw full ?? error;
      // Another connection of this process may have moved on already.
      if (last.index === index) last.index = (index + 1) % servers.length;
    }
  }
}

function mayOtherAnswer(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(?:08|57|53)/.test(error.code ?? '');
}

/** The client class of a pool: each new client is for the server whose turn it is. */
export function clientOf({ servers, last, limits }: PostgresSettings): typeof pg.Client {
  return class extends pg.Client {
    constructor(options: pg.ClientConfig = {}) {
      super({ ...servers[last.index], ...options, query_timeout: limits.answerMs });
    }
  };
}

/**
 * Sets the time limits by statements, because a pooler refuses them as parameters of the start (PgBouncer).
 *
 * @throws Error for a server that takes no writes, as for one that does not answer: it is not read from either.
 */
export async function prepareConnection(
  client: pg.ClientBase,
  { mustWrite, limits }: PostgresSettings,
): Promise<void> {
  await client.query(setLimits(limits, 'session'));
  if (!mustWrite) return;
  const { rows } = await client.query<{ is_read_only: boolean }>(askReadOnly);
  if (rows[0]?.is_read_only) throw new Error('it is a standby, or read-only');
}

/** Statements that set the limits for a connection, or for the transaction alone. */
export function setLimits(
  { statementMs, lockMs, idleMs }: TimeLimits,
  until: 'session' | 'local',
): string {
  return `set ${until} statement_timeout = ${statementMs}; set ${until} lock_timeout = ${lockMs};
    set ${until} idle_in_transaction_session_timeout = ${idleMs}`;
}

export const askReadOnly = "select current_setting('transaction_read_only') = 'on' as is_read_only";
