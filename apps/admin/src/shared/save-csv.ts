/** Offers the lines as a file. */
export function saveCsv(name: string, lines: string[]): void {
  saveFile(name, new Blob(lines, { type: 'text/csv' }));
}

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
