/**
 * Separated values (RFC 4180) that a spreadsheet opens without running anything. Row F31 of docs/threats.md.
 */
import type { z } from 'zod';
import type { dashboardLanguageSchema } from '../sign-in-api.ts';

type CsvValue = string | number | null;

type Language = z.infer<typeof dashboardLanguageSchema>;

/** A column: its name in each language, and its value. */
export type CsvColumn<Row> = Readonly<Record<Language, string>> & {
  read: (row: Row) => CsvValue;
};

/** A German spreadsheet takes the comma for the decimal mark, and separates by semicolons. */
const separators: Readonly<Record<Language, string>> = { en: ',', de: ';' };

/**
 * Where a spreadsheet may begin a cell, and find a formula there. Each separator counts in every file: a spreadsheet of
 * another language may split by it, also inside quotes.
 */
const formulaBeginning = /(?<=^|[,;\t\r\n])(?=[\s"']*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu;

/** The first line. It begins with a byte order mark, because spreadsheets need one to read UTF-8. */
export function csvHeader<Row>(columns: readonly CsvColumn<Row>[], language: Language): string {
  return `\u{feff}${lineOf(
    columns.map((column) => column[language]),
    language,
  )}`;
}

/** One line, with its end. */
export function csvLine<Row>(
  columns: readonly CsvColumn<Row>[],
  row: Row,
  language: Language,
): string {
  return lineOf(
    columns.map(({ read }) => read(row)),
    language,
  );
}

function lineOf(values: readonly CsvValue[], language: Language): string {
  return `${values.map(cellOf).join(separators[language])}\r\n`;
}

/** Null is an empty cell. What looks like a formula gets an apostrophe in front of it. */
function cellOf(value: CsvValue): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const harmless = value.replaceAll(formulaBeginning, "'");
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** ISO 8601. */
export function csvTime(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}
