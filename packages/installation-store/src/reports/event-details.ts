/** What the history keeps of events beside their answers. */
import type { FleetDetail } from '@dowel/admin-api';
import { type EventDetail, eventDetailSchema } from '@dowel/schema';
import type { Kysely } from 'kysely';
import type { Tables } from '../sql/tables.ts';

export const eventColumns = [
  'id',
  'event',
  'received_at as receivedAt',
  'duration_ms as durationMs',
  'status',
  'reason',
] as const;

const maxPlaces = 20;
/** Events with unknown members that are read: most have the same ones. */
const maxEvents = 100;

/** Null: there is none, or a newer version wrote it in another form. */
export function readDetail(text: string | null): EventDetail | null {
  return text === null ? null : (eventDetailSchema.safeParse(JSON.parse(text)).data ?? null);
}

/** Each place once, the latest first. */
export async function listDrift(db: Kysely<Tables>, id: string): Promise<FleetDetail['drift']> {
  const rows = await db
    .selectFrom('events')
    .select(['event', 'received_at', 'detail'])
    .where('installation_id', '=', id)
    .where('detail', 'like', '%"unknown":[%')
    .orderBy('received_at', 'desc')
    .limit(maxEvents)
    .execute();
  const places = new Map<string, FleetDetail['drift'][number]>();
  for (const { event, received_at: at, detail } of rows) {
    for (const { pointer, type } of readDetail(detail)?.unknown ?? []) {
      const key = `${event} ${pointer} ${type}`;
      if (!places.has(key)) places.set(key, { event, pointer, type, at });
    }
  }
  return [...places.values()].slice(0, maxPlaces);
}
