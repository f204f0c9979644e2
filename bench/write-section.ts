/** Replaces one table of docs/benchmarks.md, between its two marks. The text around it is written by hand. */
import { readFile, writeFile } from 'node:fs/promises';

const page = new URL('../docs/benchmarks.md', import.meta.url);

/** @throws Error when the page has no such section. */
export async function writeSection(name: string, text: string): Promise<void> {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const document = await readFile(page, 'utf8');
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/benchmarks.md has no ${begin} and ${end}`);
  await writeFile(page, `${before}${begin}\n\n${text.trim()}\n\n${end}${after}`);
}
