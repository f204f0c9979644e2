/** Refusals as separated values. */
import type { z } from 'zod';
import type { dashboardLanguageSchema } from '../sign-in-api.ts';
import { type CsvColumn, csvHeader, csvLine, csvTime } from './csv.ts';
import type { RefusedRequest } from './refusals-api.ts';

/** Points in time are ISO 8601. */
const columns: readonly CsvColumn<RefusedRequest>[] = [
  { en: 'at', de: 'um', read: ({ at }) => csvTime(at) },
  { en: 'reason', de: 'grund', read: ({ reason }) => reason },
  { en: 'kind', de: 'art', read: ({ kind }) => kind },
  { en: 'claimed_issuer', de: 'behaupteter_issuer', read: ({ issuer }) => issuer },
  { en: 'sender', de: 'absender', read: ({ sender }) => sender },
  { en: 'plugin', de: 'plug_in', read: ({ plugin }) => plugin },
];

/** The lines of the file, the names of the columns first, separated as spreadsheets of the language do. */
export function listRefusalLines(
  refusals: readonly RefusedRequest[],
  language: z.infer<typeof dashboardLanguageSchema>,
): string[] {
  return [
    csvHeader(columns, language),
    ...refusals.map((refusal) => csvLine(columns, refusal, language)),
  ];
}
