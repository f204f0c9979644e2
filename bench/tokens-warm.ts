/**
 * Cost of a call with a valid token, compared with the same call by the same HTTP client, without a
 * network.
 */
import { type Arena, median } from './tokens-arena.ts';
import { type ContenderEntry, contenders } from './tokens-contenders.ts';

export interface WarmResult {
  contender: ContenderEntry;
  /** Microseconds. */
  overheadUs: number;
  callUs: number;
}

const rounds = 5;
/** Until everything is compiled. */
const warmUpRounds = 1;
/** Long enough for the clock of CPU time, which ticks in milliseconds. */
const callsPerRound = 20_000;
const limitMs = 30_000;

export async function measureWarm(arena: Arena): Promise<WarmResult[]> {
  const racers = [];
  for (const contender of contenders) {
    const process = arena.start(contender, limitMs);
    await arena.openRun([process], { isStubbed: true });
    racers.push({ contender, process, samples: [] as { callUs: number; bareUs: number }[] });
  }
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const { process, samples } of racers) {
      const sample = await process.ask('measure', callsPerRound);
      if (round >= 0) samples.push(sample);
    }
  }
  await Promise.all(racers.map(({ process }) => process.end()));
  return racers.map(({ contender, samples }) => ({
    contender,
    overheadUs: median(samples.map(({ callUs, bareUs }) => callUs - bareUs)),
    callUs: median(samples.map(({ callUs }) => callUs)),
  }));
}
