import { type Parameter, prepare } from '../sql/prepare.ts';
import type { EventEntry, EventStore } from '../store.ts';
import { cutHistory } from './history.ts';
import type { StoreContext } from './store-context.ts';

export function createEventStore({
  db,
  changed,
}: Pick<StoreContext, 'db' | 'changed'>): EventStore {
  return {
    async recordEvent(entry) {
      const durationMs = Math.round(entry.durationMs);
      const { rows } = await insertEvent({ db }, { ...entry, durationMs });
      const { id: entryId } = rows[0] as { id: number };
      await cutHistory(db, 'events', { installationId: entry.installationId, entryId });
      const { generation } = entry;
      if (entry.status >= 400 && generation !== null) {
        await db
          .updateTable('installations')
          .set({ error_reason: entry.reason, error_at: entry.receivedAt })
          .where('id', '=', entry.installationId)
          .$if(generation !== undefined, (query) => query.where('generation', '=', generation ?? 0))
          .execute();
      }
      changed(entry.installationId);
    },

    async recordTokenOperation(entry) {
      const { id: entryId } = await db
        .insertInto('token_operations')
        .values({
          installation_id: entry.installationId,
          operation: entry.operation,
          started_at: entry.startedAt,
          duration_ms: Math.round(entry.durationMs),
          succeeded: entry.succeeded ? 1 : 0,
          token_version: entry.tokenVersion,
          reason: entry.reason,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await cutHistory(db, 'token_operations', { installationId: entry.installationId, entryId });
      changed(entry.installationId);
    },
  };
}

const insertEvent = prepare(({ db }: Pick<StoreContext, 'db'>, entry: Parameter<EventEntry>) =>
  db
    .insertInto('events')
    .values({
      installation_id: entry('installationId'),
      event: entry('event'),
      received_at: entry('receivedAt'),
      duration_ms: entry('durationMs'),
      status: entry('status'),
      reason: entry('reason'),
    })
    .returning('id'),
);
