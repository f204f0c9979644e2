/** Failures that occur in production, one at a time, under strict rotation. */
import type { Arena, ContenderProcess, RunOptions } from './tokens-arena.ts';
import { type ContenderEntry, contenders, nameOf } from './tokens-contenders.ts';
import { ChildFault } from './tokens-ipc.ts';

export interface HardCase {
  id: string;
  title: string;
  /** The behaviour of the platform. */
  behaviour: RunOptions;
  calls: number;
  /** How many times the access token ends and the calls begin. */
  waves: number;
  /** Number of repetitions for cases that depend on chance. */
  rounds: number;
}

/** The results of all rounds. */
interface CaseResult {
  refreshes: number[];
  triggers: number[];
  /** From 0 to 1. */
  succeeded: number[];
}

/** A fault is `crashed` or `hung`; null: the contender cannot express the case. */
export type CaseOutcome = CaseResult | string | null;

const together = { calls: 200, waves: 1, rounds: 1 };
const oneByOne = { calls: 1, waves: 3, rounds: 1 };

export const hardCases: HardCase[] = [
  {
    id: 'late',
    title: 'late 401s',
    // Held answers occupy connections, so there are enough for all calls.
    behaviour: { lateMs: 100, connections: 256 },
    ...together,
    rounds: 5,
  },
  { id: 'outage', title: 'one 503', behaviour: { outages: 1 }, ...together },
  { id: 'rotated', title: 'rotation', behaviour: {}, ...oneByOne },
  {
    id: 'omitted',
    title: 'no new refresh token',
    behaviour: { rotates: false },
    ...oneByOne,
  },
  {
    id: 'dead',
    title: 'dead refresh token ²',
    behaviour: { isDead: true },
    ...together,
  },
];

const limitMs = 15_000;

export interface CaseRow {
  contender: ContenderEntry;
  /** Results in the order of {@link hardCases}. */
  outcomes: CaseOutcome[];
}

export async function measureCases(arena: Arena): Promise<CaseRow[]> {
  const rows: CaseRow[] = [];
  for (const contender of contenders) {
    const outcomes: CaseOutcome[] = [];
    for (const hardCase of hardCases) outcomes.push(await meet(arena, contender, hardCase));
    rows.push({ contender, outcomes });
  }
  return rows;
}

async function meet(
  arena: Arena,
  contender: ContenderEntry,
  hardCase: HardCase,
): Promise<CaseOutcome> {
  if (contender.cannotExpress?.includes(hardCase.id)) return null;
  console.error(`${nameOf(contender)}: ${hardCase.title}`);
  const child = arena.start(contender, limitMs);
  const result: CaseResult = { refreshes: [], triggers: [], succeeded: [] };
  try {
    for (let round = 0; round < hardCase.rounds; round += 1) {
      const { refreshes, triggers, succeeded } = await meetOnce(arena, child, hardCase);
      result.refreshes.push(refreshes);
      result.triggers.push(triggers);
      result.succeeded.push(succeeded);
    }
    return result;
  } catch (error) {
    if (!(error instanceof ChildFault)) throw error;
    return error.message;
  } finally {
    await child.end();
  }
}

async function meetOnce(
  arena: Arena,
  child: ContenderProcess,
  { behaviour, calls, waves }: HardCase,
) {
  const run = await arena.openRun([child], behaviour);
  await child.ask('wave', { calls: 1, expires: false });
  let succeeded = 0;
  for (let wave = 0; wave < waves; wave += 1) {
    await run.expire();
    succeeded += (await child.ask('wave', { calls, expires: true })).succeeded;
  }
  return { ...(await run.count()), succeeded: succeeded / (calls * waves) };
}
