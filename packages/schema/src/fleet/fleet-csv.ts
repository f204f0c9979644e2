/** Installations as comma-separated values. */
import { csvHeader, csvLine, csvTime } from './csv.ts';
import type { FleetInstallation } from './fleet-api.ts';
import { groupOf } from './installation-state.ts';

/** Points in time are ISO 8601. */
const columns: Readonly<Record<string, (row: FleetInstallation) => string | number | null>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  host: ({ host }) => host,
  tenant_id: ({ tenantId }) => tenantId,
  plugin_id: ({ pluginId }) => pluginId,
  state: ({ state }) => state,
  cause: ({ cause }) => cause,
  broken_since: (row) => csvTime(groupOf(row.state) === 'broken' ? row.accessEndsAt : null),
  next_attempt: ({ nextAttempt }) => nextAttempt?.what ?? null,
  next_attempt_at: ({ nextAttempt }) => csvTime(nextAttempt?.at),
  tries: ({ tries }) => tries,
  began_at: ({ beganAt }) => csvTime(beganAt),
  token_expires_at: ({ tokenExpiresAt }) => csvTime(tokenExpiresAt),
  last_event_at: ({ lastEventAt }) => csvTime(lastEventAt),
  last_failure: ({ lastFailure }) => lastFailure?.reason ?? null,
  last_failure_at: ({ lastFailure }) => csvTime(lastFailure?.at),
  parked_hooks: ({ parkedHooks }) => parkedHooks,
};

/** The names of the columns. */
export const fleetCsvHeader: string = csvHeader(Object.keys(columns));

/** One line of the file, with its end. */
export function fleetCsvLine(row: FleetInstallation): string {
  return csvLine(Object.values(columns).map((read) => read(row)));
}
