/** Runs the battery against one adapter and reports each case's result. */
import type { Page } from '@playwright/test';
import { allCases } from './cases/all-cases.ts';
import { type Ability, type Case, patienceWith } from './cases/case.ts';
import type { AdapterName, Report, World } from './world.ts';

/** Enough to keep two cores busy; the predecessor mostly hangs. */
const concurrency: Record<AdapterName, number> = { ours: 16, naive: 16, predecessor: 64 };

/** Cases that need a function or option that the adapter lacks are skipped. */
const missing: Record<AdapterName, Ability[]> = {
  ours: [],
  naive: ['integrity', 'parentOrigin', 'options', 'session'],
  predecessor: ['integrity', 'parentOrigin', 'returned-answer', 'setHeight', 'options', 'session'],
};

/** `believes`: accepts a message that is forged or for another page. `differs`: refuses, but with another result. */
export type Verdict = 'passes' | 'believes' | 'hangs' | 'differs';

export interface Result extends Report {
  case: Case;
  verdict: Verdict;
}

export interface Battery {
  results: Result[];
  /** Errors of the whole page, including frames. */
  pageErrors: string[];
  elapsedMs: number;
}

export async function runBattery(
  page: Page,
  world: World,
  adapter: AdapterName,
  cases: Case[] = allCases,
): Promise<Battery> {
  const asked = cases.filter(({ needs }) => !needs || !missing[adapter].includes(needs));
  const ids = asked.map((each) => allCases.indexOf(each));
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  const startedAt = performance.now();
  await page.goto(`${world.origins.tenant}/runner.html`);
  const reports = await page.evaluate((run) => window.runBattery(run), {
    adapter,
    ids,
    concurrency: concurrency[adapter],
    giveUpMs: patienceWith[adapter].giveUpMs,
  });
  const results = asked.map((each, index) => {
    const report = reports[ids[index] as number] as Report;
    return { ...report, case: each, verdict: judge(each, report) };
  });
  return { results, pageErrors, elapsedMs: Math.round(performance.now() - startedAt) };
}

function judge(
  { expected, saves }: Case,
  { outcome, elapsedMs, limitMs, problems }: Report,
): Verdict {
  if (outcome === 'hangs' || outcome === 'no report' || outcome.includes('deaf')) return 'hangs';
  if (outcome === expected && !problems.length && elapsedMs <= limitMs) return 'passes';
  const isRefused = /^(ERR|no answer|threw)/.test(outcome);
  const isBelief = saves ? expected === 'no answer' : /^(ERR|later)/.test(expected);
  return isBelief && !isRefused ? 'believes' : 'differs';
}

export function count(results: Result[], verdict: Verdict): number {
  return results.filter((each) => each.verdict === verdict).length;
}

export function summarize(adapter: AdapterName, { results, elapsedMs }: Battery): string {
  const [passes, believes, hangs, differs] = (
    ['passes', 'believes', 'hangs', 'differs'] as const
  ).map((verdict) => count(results, verdict));
  return (
    `${adapter} passes ${passes} of ${results.length}, believes ${believes}, hangs ${hangs}, ` +
    `differs ${differs} (${(elapsedMs / 1000).toFixed(1)} s)`
  );
}
