import { type FleetInstallation, fleetCsvHeader, fleetCsvLine } from '@dowel/schema';

/** Offers the rows as a file. It has the same columns as the export of the server. */
export function saveCsv(rows: readonly FleetInstallation[]): void {
  const file = new Blob([fleetCsvHeader, ...rows.map(fleetCsvLine)], { type: 'text/csv' });
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = 'installations.csv';
  link.click();
  URL.revokeObjectURL(url);
}
