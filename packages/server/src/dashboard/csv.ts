/** Lines of comma-separated values (RFC 4180) that a spreadsheet can open without running anything. */

/** A spreadsheet takes a cell that begins so for a formula. */
const formulaBeginning = /^[=+\-@\t\r\n＝＋－＠]/u;

export type CsvValue = string | number | null;

export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/** Null is an empty cell. A text that looks like a formula gets an apostrophe in front of it. */
function csvCell(value: CsvValue): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const harmless = formulaBeginning.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
