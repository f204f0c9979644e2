/**
 * The cost of our token client and the failures that it survives, compared with six libraries and a
 * hand-written floor, all in one run.
 * `pnpm --filter @dowel/bench tokens`; `--write` renews docs/benchmarks.md and its chart.
 */
import { writeFile } from 'node:fs/promises';
import { isWritten, reportSection } from './report-section.ts';
import { createArena } from './tokens-arena.ts';
import { measureCases } from './tokens-cases.ts';
import { measureHerd } from './tokens-herd.ts';
import { describeTokens, drawTokens } from './tokens-report.ts';
import { measureWarm } from './tokens-warm.ts';

const chart = new URL('../docs/images/bench-tokens.svg', import.meta.url);

const arena = await createArena();
const figures = {
  warm: await measureWarm(arena),
  herd: await measureHerd(arena),
  cases: await measureCases(arena),
};
await arena.close();

for (const [section, text] of Object.entries(describeTokens(figures))) {
  await reportSection(section, text);
}
if (isWritten) await writeFile(chart, drawTokens(figures));
