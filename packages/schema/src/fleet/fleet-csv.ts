/** Installations as comma-separated values (RFC 4180) that a spreadsheet can open without running anything. */
import type { FleetInstallation } from './fleet-api.ts';

/** A spreadsheet takes a cell that begins so for a formula. */
const formulaBeginning = /^[=+\-@\t\r\n＝＋－＠]/u;

/** Points in time are ISO 8601. */
const columns: Readonly<Record<string, (row: FleetInstallation) => string | number | null>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  host: ({ host }) => host,
  tenant_id: ({ tenantId }) => tenantId,
  plugin_id: ({ pluginId }) => pluginId,
  state: ({ state }) => state,
  cause: ({ cause }) => cause,
  broken_since: ({ brokenSince }) => timeOf(brokenSince),
  next_attempt: ({ nextAttempt }) => nextAttempt?.what ?? null,
  next_attempt_at: ({ nextAttempt }) => timeOf(nextAttempt?.at),
  tries: ({ tries }) => tries,
  began_at: ({ beganAt }) => timeOf(beganAt),
  token_expires_at: ({ tokenExpiresAt }) => timeOf(tokenExpiresAt),
  last_event_at: ({ lastEventAt }) => timeOf(lastEventAt),
  last_failure: ({ lastFailure }) => lastFailure?.reason ?? null,
  last_failure_at: ({ lastFailure }) => timeOf(lastFailure?.at),
  parked_hooks: ({ parkedHooks }) => parkedHooks,
};

/** The names of the columns. It begins with a mark without which spreadsheets do not read UTF-8. */
export const fleetCsvHeader: string = `\u{feff}${lineOf(Object.keys(columns))}`;

/** One line of the file, with its end. */
export function fleetCsvLine(row: FleetInstallation): string {
  return lineOf(Object.values(columns).map((read) => read(row)));
}

function lineOf(values: readonly (string | number | null)[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

/** Null is an empty cell. A text that looks like a formula gets an apostrophe in front of it. */
function cellOf(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const harmless = formulaBeginning.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function timeOf(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}
