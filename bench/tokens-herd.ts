/**
 * The herd: the access token has ended, ten thousand calls begin at once, in one process or in four.
 * Contenders take turns, so a busy moment of the machine affects all.
 */
import { median } from './rounds.ts';
import type { Arena, ContenderProcess } from './tokens-arena.ts';
import type { Wave } from './tokens-child.ts';
import {
  type ContenderEntry,
  contenders,
  dowelId,
  findContender,
  floorId,
  nameOf,
} from './tokens-contenders.ts';
import { ChildFault } from './tokens-ipc.ts';

interface HerdEntry {
  contender: ContenderEntry;
  processes: number;
  /** Whether the processes call for one installation. If false, each has its own and shares nothing. */
  isShared: boolean;
}

export interface HerdResult extends HerdEntry {
  /** Refreshes of each round. */
  refreshes: number[];
  /** The share of successful calls of each round, from 0 to 1. */
  succeeded: number[];
  /** The median ratio to the floor's time; undefined when no round ended. */
  wallRatio: number | undefined;
  /** The same for the processes' CPU time. */
  cpuRatio: number | undefined;
  /** The state of a process that did not end. */
  fault?: string;
}

interface Racer extends HerdEntry {
  children: ContenderProcess[];
  rounds: number;
  results: { refreshes: number; succeeded: number; wallMs: number; cpuMs: number }[];
  fault?: string;
}

const calls = 10_000;
const rounds = { own: 5, inFour: 3, peer: 2 };
/** Calls before the token ends, to open connections and compile code. */
const warmUpCalls = 400;
const limitMs = 60_000;

/** Walls in one process are measured against the floor's. */
const inOne = contenders.map((contender) => ({ contender, processes: 1, isShared: true }));
/** And in four against four floors that need not share: the same requests, nothing to agree on. */
const inFour = [
  { contender: findContender(dowelId), processes: 4, isShared: true },
  { contender: findContender(floorId), processes: 4, isShared: false },
  { contender: findContender(floorId), processes: 4, isShared: true },
];

export async function measureHerd(arena: Arena): Promise<HerdResult[]> {
  const racers = [...inOne, ...inFour].map((entry) => enter(arena, entry));
  for (let round = 0; round < rounds.own; round += 1) {
    for (const racer of round % 2 === 0 ? racers : racers.toReversed()) {
      if (round < racer.rounds && racer.fault === undefined) await race(arena, racer);
    }
  }
  await Promise.all(racers.flatMap(({ children }) => children).map((child) => child.end()));
  return racers.map((racer) => summarize(racer, floorOf(racer, racers)));
}

function enter(arena: Arena, entry: HerdEntry): Racer {
  const { contender, processes } = entry;
  const children = Array.from({ length: processes }, () => arena.start(contender, limitMs));
  const isOurs = contender.id === dowelId || contender.id === floorId;
  const alone = isOurs ? rounds.own : rounds.peer;
  return { ...entry, children, rounds: processes === 1 ? alone : rounds.inFour, results: [] };
}

async function race(arena: Arena, racer: Racer): Promise<void> {
  const { children, isShared } = racer;
  const groups = isShared ? [children] : children.map((child) => [child]);
  const wave = (count: number, expires: boolean) =>
    Promise.all(children.map((c) => c.ask('wave', { calls: count / children.length, expires })));
  try {
    const runs = [];
    for (const group of groups) runs.push(await arena.openRun(group));
    await wave(warmUpCalls, false);
    for (const run of runs) await run.expire();
    const waves = await wave(calls, true);
    let refreshes = 0;
    for (const run of runs) refreshes += (await run.count()).refreshes;
    report(racer, waves);
    racer.results.push({
      refreshes,
      succeeded: waves.reduce((sum, one) => sum + one.succeeded, 0) / calls,
      wallMs: Math.max(...waves.map((one) => one.wallMs)),
      cpuMs: waves.reduce((sum, one) => sum + one.cpuMs, 0),
    });
  } catch (error) {
    if (!(error instanceof ChildFault)) throw error;
    racer.fault = error.message;
  }
}

/** Prints the progress, and details when calls fail. */
function report({ contender, processes }: Racer, waves: Wave[]): void {
  const walls = waves
    .map((one) => `${(one.wallMs / 1000).toFixed(1)} s, CPU ${(one.cpuMs / 1000).toFixed(1)} s`)
    .join(', ');
  const failures = waves.flatMap((wave) =>
    Object.entries(wave.failures).map((one) => one.join(' × ')),
  );
  console.error(`${nameOf(contender)} (${processes}): ${[walls, ...failures].join('; ')}`);
}

function floorOf({ processes }: Racer, racers: Racer[]): Racer | undefined {
  return racers.find(
    (racer) =>
      racer.contender.id === floorId &&
      racer.processes === processes &&
      racer.isShared === (processes === 1),
  );
}

function summarize(racer: Racer, floor: Racer | undefined): HerdResult {
  const { contender, processes, isShared, results, fault } = racer;
  const ratioOf = (key: 'wallMs' | 'cpuMs') => {
    const ratios = results.map(
      (one, round) => one[key] / (floor?.results[round]?.[key] ?? Number.NaN),
    );
    return ratios.length === 0 ? undefined : median(ratios);
  };
  return {
    contender,
    processes,
    isShared,
    refreshes: results.map(({ refreshes }) => refreshes),
    succeeded: results.map(({ succeeded }) => succeeded),
    wallRatio: ratioOf('wallMs'),
    cpuRatio: ratioOf('cpuMs'),
    ...(fault === undefined ? {} : { fault }),
  };
}
