/**
 * Cost of a call with a valid token, compared with the same call by the same HTTP client, without a
 * network.
 */
import { median } from './rounds.ts';
import type { Arena } from './tokens-arena.ts';
import { type ContenderEntry, contenders, dowelId, findContender } from './tokens-contenders.ts';

export interface WarmResult {
  contender: ContenderEntry;
  /** The number of different paths, each with its own query. */
  paths: number;
  /** Microseconds. */
  overheadUs: number;
  callUs: number;
}

const rounds = 5;
/** Rounds until everything is compiled. */
const warmUpRounds = 1;
/** Long enough for the clock of CPU time, which ticks in milliseconds. */
const callsPerRound = 20_000;
const limitMs = 30_000;

const entries = [
  ...contenders.map((contender) => ({ contender, paths: 1 })),
  { contender: findContender(dowelId), paths: 10_000 },
];

export async function measureWarm(arena: Arena): Promise<WarmResult[]> {
  const racers = [];
  for (const { contender, paths } of entries) {
    const process = arena.start(contender, limitMs);
    await arena.openRun([process], { isStubbed: true });
    racers.push({ contender, paths, process, samples: [] as { callUs: number; bareUs: number }[] });
  }
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const { process, paths, samples } of racers) {
      const sample = await process.ask('measure', { calls: callsPerRound, paths });
      if (round >= 0) samples.push(sample);
    }
  }
  await Promise.all(racers.map(({ process }) => process.end()));
  return racers.map(({ contender, paths, samples }) => ({
    contender,
    paths,
    overheadUs: median(samples.map(({ callUs, bareUs }) => callUs - bareUs)),
    callUs: median(samples.map(({ callUs }) => callUs)),
  }));
}
