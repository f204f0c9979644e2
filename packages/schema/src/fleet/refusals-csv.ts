/** Groups of refusals as comma-separated values. */
import { type CsvValue, csvHeader, csvLine, csvTime } from './csv.ts';
import type { RefusalGroup } from './refusals-api.ts';

/** Points in time are ISO 8601. */
const columns: Readonly<Record<string, (group: RefusalGroup) => CsvValue>> = {
  reason: ({ reason }) => reason,
  kind: ({ kind }) => kind,
  claimed_issuer: ({ issuer }) => issuer,
  sender: ({ sender }) => sender,
  plugin: ({ plugin }) => plugin,
  count: ({ count }) => count,
  first_at: ({ firstAt }) => csvTime(firstAt),
  last_at: ({ lastAt }) => csvTime(lastAt),
};

/** The lines of the file, the names of the columns first. */
export function listRefusalLines(groups: readonly RefusalGroup[]): string[] {
  const lines = groups.map((group) => csvLine(Object.values(columns).map((read) => read(group))));
  return [csvHeader(Object.keys(columns)), ...lines];
}
