/** Groups of refusals as separated values. */
import type { z } from 'zod';
import type { dashboardLanguageSchema } from '../admin-api.ts';
import { type CsvColumn, csvHeader, csvLine, csvTime } from './csv.ts';
import type { RefusalGroup } from './refusals-api.ts';

/** Points in time are ISO 8601. */
const columns: readonly CsvColumn<RefusalGroup>[] = [
  { en: 'reason', de: 'grund', read: ({ reason }) => reason },
  { en: 'kind', de: 'art', read: ({ kind }) => kind },
  { en: 'claimed_issuer', de: 'behaupteter_issuer', read: ({ issuer }) => issuer },
  { en: 'sender', de: 'absender', read: ({ sender }) => sender },
  { en: 'plugin', de: 'plug_in', read: ({ plugin }) => plugin },
  { en: 'count', de: 'anzahl', read: ({ count }) => count },
  { en: 'first_at', de: 'zuerst_um', read: ({ firstAt }) => csvTime(firstAt) },
  { en: 'last_at', de: 'zuletzt_um', read: ({ lastAt }) => csvTime(lastAt) },
];

/** The lines of the file, the names of the columns first, separated as spreadsheets of the language do. */
export function listRefusalLines(
  groups: readonly RefusalGroup[],
  language: z.infer<typeof dashboardLanguageSchema>,
): string[] {
  return [
    csvHeader(columns, language),
    ...groups.map((group) => csvLine(columns, group, language)),
  ];
}
