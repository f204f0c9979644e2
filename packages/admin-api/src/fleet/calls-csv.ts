/** Calls as separated values. */
import type { z } from 'zod';
import type { dashboardLanguageSchema } from '../sign-in-api.ts';
import type { CallEntry } from './calls-api.ts';
import { type CsvColumn, csvHeader, csvLine, csvTime } from './csv.ts';

/** Points in time are ISO 8601. */
const columns: readonly CsvColumn<CallEntry>[] = [
  { en: 'first_at', de: 'zuerst_um', read: ({ firstAt }) => csvTime(firstAt) },
  { en: 'last_at', de: 'zuletzt_um', read: ({ lastAt }) => csvTime(lastAt) },
  { en: 'count', de: 'anzahl', read: ({ count }) => count },
  { en: 'installation_id', de: 'installation_id', read: ({ installation }) => installation.id },
  { en: 'tenant', de: 'mandant', read: ({ installation }) => installation.host },
  { en: 'operation', de: 'operation', read: ({ operation }) => operation },
  { en: 'method', de: 'methode', read: ({ method }) => method },
  { en: 'path', de: 'pfad', read: ({ path }) => path },
  { en: 'host', de: 'host', read: ({ host }) => host },
  { en: 'status', de: 'status', read: ({ status }) => status },
  { en: 'reason', de: 'grund', read: ({ reason }) => reason },
  { en: 'fault', de: 'fehlercode', read: ({ fault }) => fault },
  { en: 'duration_ms', de: 'dauer_ms', read: ({ durationMs }) => durationMs },
  { en: 'attempts', de: 'versuche', read: ({ attempts }) => attempts },
  { en: 'request_id', de: 'anfrage_id', read: ({ requestId }) => requestId },
  { en: 'user_id', de: 'benutzer_id', read: ({ userId }) => userId },
  { en: 'answer', de: 'antwort', read: ({ answer }) => answer },
];

/** The lines of the file, the names of the columns first, separated as spreadsheets of the language do. */
export function listCallLines(
  calls: readonly CallEntry[],
  language: z.infer<typeof dashboardLanguageSchema>,
): string[] {
  return [csvHeader(columns, language), ...calls.map((call) => csvLine(columns, call, language))];
}
