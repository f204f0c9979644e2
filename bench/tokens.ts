/**
 * What our token client costs and what it survives, beside six libraries and a hand-written floor, all
 * in one run. `pnpm --filter @dowel/bench tokens`; `--write` renews docs/benchmarks.md and its chart.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createArena } from './tokens-arena.ts';
import { measureCases } from './tokens-cases.ts';
import { measureHerd } from './tokens-herd.ts';
import { describeTokens, drawTokens } from './tokens-report.ts';
import { measureWarm } from './tokens-warm.ts';

const page = new URL('../docs/benchmarks.md', import.meta.url);
const chart = new URL('../docs/images/bench-tokens.svg', import.meta.url);
const section = { begin: '<!-- tokens -->', end: '<!-- /tokens -->' };

const arena = await createArena();
const figures = {
  warm: await measureWarm(arena),
  herd: await measureHerd(arena),
  cases: await measureCases(arena),
};
await arena.close();

const text = describeTokens(figures);
console.log(text);
if (process.argv.includes('--write')) {
  await writeFile(page, replaceSection(await readFile(page, 'utf8'), text));
  await writeFile(chart, drawTokens(figures));
}

function replaceSection(document: string, text: string): string {
  const written = `${section.begin}\n${text}\n${section.end}`;
  const begin = document.indexOf(section.begin);
  const end = document.indexOf(section.end);
  if (begin === -1 || end === -1) return `${document.trimEnd()}\n\n## Tokens\n\n${written}\n`;
  return document.slice(0, begin) + written + document.slice(end + section.end.length);
}
