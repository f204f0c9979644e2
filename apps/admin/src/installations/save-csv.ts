import type { FleetInstallation } from '@dowel/schema';

const columns = [
  'id',
  'host',
  'tenantId',
  'pluginId',
  'state',
  'cause',
  'brokenSince',
  'tries',
] as const satisfies (keyof FleetInstallation)[];

/** Offers the rows as a file. */
export function saveCsv(rows: readonly FleetInstallation[]): void {
  const url = URL.createObjectURL(new Blob([toCsv(rows)], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'installations.csv';
  link.click();
  URL.revokeObjectURL(url);
}

/** RFC 4180. Points in time are ISO 8601. */
export function toCsv(rows: readonly FleetInstallation[]): string {
  const lines = rows.map((row) =>
    columns.map((column) => toCell(column === 'brokenSince' ? toIso(row[column]) : row[column])),
  );
  return [columns, ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

function toIso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** A leading sign would make the cell a formula in a spreadsheet. */
function toCell(value: string | number | null): string {
  const text = String(value ?? '').replace(/^(?=[=+\-@\t\r])/, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
