/** Comma-separated values (RFC 4180) that a spreadsheet can open without running anything. */

export type CsvValue = string | number | null;

/** A spreadsheet treats a cell with this beginning as a formula. */
const formulaBeginning = /^[=+\-@\t\r\n＝＋－＠]/u;

/** The first line. It begins with a byte order mark, because spreadsheets need one to read UTF-8. */
export function csvHeader(names: readonly string[]): string {
  return `\u{feff}${csvLine(names)}`;
}

/** One line, with its end. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

/** Null is an empty cell. A text that looks like a formula gets an apostrophe in front of it. */
function cellOf(value: CsvValue): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const harmless = formulaBeginning.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** ISO 8601. */
export function csvTime(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}
