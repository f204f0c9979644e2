/** The figures of the token benchmark as markdown tables, and as a chart. */
import { barChart } from './chart.ts';
import { table } from './markdown-table.ts';
import { median } from './rounds.ts';
import { type CaseOutcome, type CaseRow, hardCases } from './tokens-cases.ts';
import { type ContenderEntry, dowelId, nameOf, shortNameOf } from './tokens-contenders.ts';
import type { HerdResult } from './tokens-herd.ts';
import type { WarmResult } from './tokens-warm.ts';

export interface TokenFigures {
  warm: WarmResult[];
  herd: HerdResult[];
  cases: CaseRow[];
}

const promisedWarmUs = 3;
const promisedWallRatio = 1.5;

/** The tables, by the section of docs/benchmarks.md that each one belongs to. */
export function describeTokens({ warm, herd, cases }: TokenFigures): Record<string, string> {
  return {
    'tokens-warm': describeWarm(warm),
    'tokens-herd': describeHerd(herd),
    'tokens-cases': describeCases(cases),
  };
}

function describeWarm(results: WarmResult[]): string {
  const rows = results.map(({ contender, paths, overheadUs, callUs }) => [
    paths === 1
      ? nameOf(contender)
      : `${nameOf(contender)}, ${paths.toLocaleString('en')} different paths and queries`,
    contender.id === dowelId
      ? `**${overheadUs.toFixed(1)}** (promise: ≤ ${promisedWarmUs})`
      : overheadUs.toFixed(1),
    callUs.toFixed(1),
  ]);
  return table(['', 'µs more', 'µs in all'], rows);
}

function describeHerd(results: HerdResult[]): string {
  const head = ['', 'processes', 'refreshes', 'calls that succeed', 'wall time', 'CPU time'];
  const rows = results.map((result) => [
    herdName(result),
    String(result.processes),
    result.fault ?? range(result.refreshes, (value) => value.toLocaleString('en')),
    result.fault ? '–' : percentRange(result.succeeded),
    wallOf(result),
    bracket(result, result.cpuRatio),
  ]);
  return table(head, rows);
}

function describeCases(rows: CaseRow[]): string {
  return table(
    ['', ...hardCases.map(({ title }) => title)],
    rows.map(({ contender, outcomes }) => [
      markedName(contender),
      ...outcomes.map(describeOutcome),
    ]),
  );
}

function herdName({ contender, processes, isShared }: HerdResult): string {
  const name = nameOf(contender);
  if (processes === 1) return markedName(contender);
  return isShared ? `${name}, one installation` : `${name}, an installation each`;
}

function markedName(contender: ContenderEntry): string {
  const { footnote } = contender;
  return footnote === undefined ? nameOf(contender) : `${nameOf(contender)} ${footnote}`;
}

function describeOutcome(outcome: CaseOutcome): string {
  if (outcome === null) return '–';
  if (typeof outcome === 'string') return outcome;
  const { refreshes, triggers, succeeded } = outcome;
  const triggered = Math.max(...triggers) > 0 ? ` + ${range(triggers, String)} trigger` : '';
  return `${range(refreshes, String)}${triggered} · ${percentRange(succeeded)}`;
}

function wallOf(result: HerdResult): string {
  const wall = bracket(result, result.wallRatio);
  return result.contender.id === dowelId ? `**${wall}** (promise: ≤ ${promisedWallRatio})` : wall;
}

function bracket({ succeeded }: HerdResult, ratio: number | undefined): string {
  if (ratio === undefined) return '–';
  return Math.min(...succeeded) < 1 ? `(${ratio.toFixed(2)})` : ratio.toFixed(2);
}

function range(values: number[], show: (value: number) => string): string {
  const [from, to] = [show(Math.min(...values)), show(Math.max(...values))];
  return from === to ? from : `${from}–${to}`;
}

function percentRange(values: number[]): string {
  return `${range(values, (value) => percent(value).replace(' %', ''))} %`;
}

/** Cut, not rounded: 100 % means every call. */
function percent(value: number): string {
  const cut = Math.floor(value * 1000) / 10;
  return `${cut} %`;
}

const drawnCases = [
  { id: 'late', label: '200 calls, half of their 401s come late' },
  { id: 'outage', label: "200 calls, the token endpoint's first answer is 503" },
];

export function drawTokens({ herd, cases }: TokenFigures): string {
  const herdBars = herd
    .filter(({ processes, fault }) => processes === 1 && fault === undefined)
    .map(({ contender, succeeded }) => ({
      label: shortNameOf(contender),
      value: median(succeeded) * 100,
    }));
  const caseBars = (id: string) =>
    cases.flatMap(({ contender, outcomes }) => {
      const outcome = outcomes[hardCases.findIndex((one) => one.id === id)];
      if (typeof outcome !== 'object' || outcome === null) return [];
      return [{ label: shortNameOf(contender), value: median(outcome.succeeded) * 100 }];
    });
  return barChart({
    title: 'Calls that succeed under strict rotation',
    unit: '%',
    groups: [
      { label: '10,000 calls meet a 401', bars: herdBars },
      ...drawnCases.map(({ id, label }) => ({ label, bars: caseBars(id) })),
    ],
  });
}
