/** Deliveries as separated values. */
import type { z } from 'zod';
import type { dashboardLanguageSchema } from '../sign-in-api.ts';
import { type CsvColumn, csvHeader, csvLine, csvTime } from './csv.ts';
import type { Delivery } from './deliveries-api.ts';

/** Points in time are ISO 8601. */
const columns: readonly CsvColumn<Delivery>[] = [
  { en: 'at', de: 'um', read: ({ at }) => csvTime(at) },
  { en: 'event', de: 'ereignis', read: ({ event }) => event },
  { en: 'host', de: 'host', read: ({ host }) => host },
  { en: 'verified', de: 'geprueft', read: ({ isVerified }) => Number(isVerified) },
  { en: 'installation', de: 'installation', read: ({ installationId }) => installationId },
  { en: 'status', de: 'status', read: ({ status }) => status },
  { en: 'reason', de: 'grund', read: ({ reason }) => reason },
  { en: 'repeated', de: 'wiederholt', read: ({ isRepeat }) => Number(isRepeat) },
  { en: 'duration_ms', de: 'dauer_ms', read: ({ durationMs }) => durationMs },
  { en: 'sender', de: 'absender', read: ({ sender }) => sender },
  { en: 'plugin', de: 'plug_in', read: ({ plugin }) => plugin },
  { en: 'request_id', de: 'anfrage_id', read: ({ requestId }) => requestId },
];

/** The lines of the file, the names of the columns first, separated as spreadsheets of the language do. */
export function listDeliveryLines(
  deliveries: readonly Delivery[],
  language: z.infer<typeof dashboardLanguageSchema>,
): string[] {
  return [
    csvHeader(columns, language),
    ...deliveries.map((delivery) => csvLine(columns, delivery, language)),
  ];
}
