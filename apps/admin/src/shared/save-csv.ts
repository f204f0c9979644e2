/** Offers the lines as a file. */
export function saveCsv(name: string, lines: string[]): void {
  const url = URL.createObjectURL(new Blob(lines, { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
