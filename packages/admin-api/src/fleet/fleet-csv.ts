/** Installations as separated values. */
import type { z } from 'zod';
import type { dashboardLanguageSchema } from '../sign-in-api.ts';
import { type CsvColumn, csvHeader, csvLine, csvTime } from './csv.ts';
import type { FleetInstallation } from './fleet-api.ts';
import { groupOf } from './installation-state.ts';

type Language = z.infer<typeof dashboardLanguageSchema>;

/** Points in time are ISO 8601. */
const columns: readonly CsvColumn<FleetInstallation>[] = [
  { en: 'id', de: 'id', read: ({ id }) => id },
  { en: 'name', de: 'name', read: ({ name }) => name },
  { en: 'host', de: 'host', read: ({ host }) => host },
  { en: 'tenant_id', de: 'tenant_id', read: ({ tenantId }) => tenantId },
  { en: 'plugin_id', de: 'plugin_id', read: ({ pluginId }) => pluginId },
  { en: 'state', de: 'zustand', read: ({ state }) => state },
  { en: 'cause', de: 'ursache', read: ({ cause }) => cause },
  {
    en: 'broken_since',
    de: 'ohne_zugriff_seit',
    read: (row) => csvTime(groupOf(row.state) === 'broken' ? row.accessEndsAt : null),
  },
  {
    en: 'next_attempt',
    de: 'nächster_versuch',
    read: ({ nextAttempt }) => nextAttempt?.what ?? null,
  },
  {
    en: 'next_attempt_at',
    de: 'nächster_versuch_um',
    read: ({ nextAttempt }) => csvTime(nextAttempt?.at),
  },
  { en: 'tries', de: 'versuche', read: ({ tries }) => tries },
  { en: 'began_at', de: 'beginn', read: ({ beganAt }) => csvTime(beganAt) },
  {
    en: 'token_expires_at',
    de: 'token_gültig_bis',
    read: ({ tokenExpiresAt }) => csvTime(tokenExpiresAt),
  },
  {
    en: 'last_event_at',
    de: 'letztes_event_um',
    read: ({ lastEventAt }) => csvTime(lastEventAt),
  },
  {
    en: 'last_failure',
    de: 'letzter_fehler',
    read: ({ lastFailure }) => lastFailure?.reason ?? null,
  },
  {
    en: 'last_failure_at',
    de: 'letzter_fehler_um',
    read: ({ lastFailure }) => csvTime(lastFailure?.at),
  },
  { en: 'parked_hooks', de: 'geparkte_hooks', read: ({ parkedHooks }) => parkedHooks },
];

/** The first line: the names of the columns, separated as spreadsheets of the language do. */
export function fleetCsvHeader(language: Language): string {
  return csvHeader(columns, language);
}

/** One line of the file, with its end. */
export function fleetCsvLine(row: FleetInstallation, language: Language): string {
  return csvLine(columns, row, language);
}
