/** The figures of the token benchmark as markdown tables, and as a chart. */
import { barChart } from './chart.ts';
import { median } from './tokens-arena.ts';
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

export function describeTokens({ warm, herd, cases }: TokenFigures): string {
  return `\`pnpm --filter @dowel/bench tokens\`: our token client beside six libraries and a hand-written floor, each used as its own documentation
says (\`bench/peers\`), each in a process of its own, against one strict authorization server on loopback: a refresh takes 20 ms, voids the
old access token and rotates the refresh token; presenting a used one revokes everything. The floor is what a good engineer
writes in an hour: one promise for each key, a comparison with the token that was refused, one more try, in memory. All calls use
undici, with at most 32 connections.

![Calls that succeed](images/bench-tokens.svg)

**A call with a valid token.** The transport answers at once. The figures are microseconds of CPU time: more than for the same call by the same HTTP client with
a fixed bearer, and in all. Calls one after another; medians of alternating rounds.

${table(
  ['', 'µs more', 'µs in all'],
  warm.map(({ contender, overheadUs, callUs }) => [
    nameOf(contender),
    contender.id === dowelId
      ? `**${overheadUs.toFixed(1)}** (promise: ≤ ${promisedWarmUs})`
      : overheadUs.toFixed(1),
    callUs.toFixed(1),
  ]),
)}

**The herd.** The access token has ended, 10,000 calls begin together, in one process or in four. Times are ratios to the floor's, medians
of alternating rounds, in brackets where calls failed. Four processes are compared with four floors that have one installation
each and need no agreement; ours share one installation and its SQLite file.

${table(
  ['', 'processes', 'refreshes', 'calls that succeed', 'wall time', 'CPU time'],
  herd.map((result) => [
    herdName(result),
    String(result.processes),
    result.fault ?? range(result.refreshes, (value) => value.toLocaleString('en')),
    result.fault ? '–' : percentRange(result.succeeded),
    wallOf(result),
    bracket(result, result.cpuRatio),
  ]),
)}

**What goes wrong.** Refreshes, and calls that succeed. *Late 401s*: half of 200 calls get the 401 of the old token 100 ms to 1.1 s after
the refresh, five times. *One 503*: the token endpoint's first answer, while 200 calls wait. *Rotation*: three calls one after
another, the access token ends before each. *No new refresh token*: the same, but the server rotates nothing and leaves the refresh
token out of its answer (RFC 6749 §6). *Dead refresh token*: the server refuses it, while 200 calls wait.

${table(
  ['', ...hardCases.map(({ title }) => title)],
  cases.map(({ contender, outcomes }) => [markedName(contender), ...outcomes.map(describeOutcome)]),
)}

¹ It checks expiry only by the clock and leaves 401s to the application, so in this test the token expired by the clock. For the same reason late 401s
cannot be tested (–). It has no single flight, so each waiting call refreshes. Slack's own server always sends a refresh
token (–), and accepts old and new tokens for some time, which this one does not.
² A new grant is needed. Ours asks the platform for an event (Spec §4.3) and exchanges its code. The libraries leave this to the
application (\`getNewToken\`, \`refreshHandler\`, the refresh function), and none is written here.
³ It keeps a rotated refresh token with a listener to its documented \`tokens\` event that sets the credentials again; Google's own server
rotates nothing.`;
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

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
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
