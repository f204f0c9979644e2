/** The processes of one history: started, killed, and started again with an empty memory. */

import { createLifecycle, type Lifecycle } from '@dowel/lifecycle';
import {
  createTokenClient,
  type TokenClient,
  type TokenObservation,
  type TokenPolicy,
} from '@dowel/token-client';
import type { AccessCheck } from './checks/access-check.ts';
import type { DatabaseLink } from './database-link.ts';
import { createFetch, type NetworkHost } from './network.ts';
import { createProcessStore } from './process-store.ts';
import { createSimulatedProcess, type SimulatedProcess } from './simulated-process.ts';
import { type Simulation, secretMark } from './simulation.ts';
import type { Situation } from './situations.ts';

/** The product in one process. */
export interface Running {
  process: SimulatedProcess;
  client: TokenClient;
  lifecycle: Lifecycle;
}

export interface ProcessSurroundings {
  host: NetworkHost;
  link: DatabaseLink;
  check: AccessCheck;
  policy: Partial<TokenPolicy>;
}

export type Processes = ReturnType<typeof createProcesses>;

const healEveryMs = 20_000;
/** Less memory for each process that starts, and fewer looks of those that wait. */
const cheap: Partial<TokenPolicy> = {
  maxGrants: 10,
  maxUrls: 10,
  poll: { minMs: 50, maxMs: 1_000 },
};
/** More than any history holds: the limiter counts by the real clock. */
const exchangesPerMinute = 1_000_000;

export function createProcesses(
  simulation: Simulation,
  { host, link, check, policy }: ProcessSurroundings,
) {
  const { scheduler, random, climate, count, tell, violate } = simulation;
  const slots: { running: Running | undefined; lives: number; offsetMs: number }[] = [];

  const leaving = new Set<Running>();

  function start(slot: number): void {
    const place = slots[slot];
    if (!place || place.running) return;
    place.lives += 1;
    const name = place.lives === 1 ? `p${slot + 1}` : `p${slot + 1}.${place.lives}`;
    const process = createSimulatedProcess(simulation, name, {
      clockOffsetMs: place.offsetMs,
      onDeath() {
        check.died(process);
        if (place.running?.process !== process) return;
        place.running = undefined;
        place.offsetMs = process.clockOffsetMs;
        scheduler.after(random.pick([10, 3_000, 18_000]), () => start(slot));
      },
    });
    const store = createProcessStore(simulation, process, link);
    const fetch = createFetch(simulation, process, host);
    const { now, timer } = process;
    const client = createTokenClient({
      store,
      fetch,
      now,
      timer,
      random: random.next,
      policy: { ...cheap, ...policy },
      observe: (observation) => observe(process, observation),
    });
    const requestedScopes = ['plugin:notify'];
    const lifecycle = createLifecycle({
      store,
      tokenClient: client,
      requestedScopes,
      exchangesPerMinute,
      now,
      timer,
    });
    place.running = { process, client, lifecycle };
    tell(name, 'starts');
    healLater(place.running);
  }

  function healLater(running: Running): void {
    scheduler.after(healEveryMs, () => {
      if (!running.process.isAlive) return;
      if (climate().heals) running.process.resume(() => heal(running));
      healLater(running);
    });
  }

  function heal({ client, process }: Running): void {
    client.heal().then(
      (sent) => {
        if (sent > 0) count('trigger: by heal');
      },
      (error: unknown) => tell(process.name, `heal failed: ${String(error)}`),
    );
  }

  function observe({ name }: SimulatedProcess, observation: TokenObservation): void {
    const text = JSON.stringify(observation);
    if (text.includes(secretMark)) violate('no secret is in an observation', text);
    const { type } = observation;
    const detail = 'reason' in observation ? ` ${observation.reason}` : '';
    tell(name, `observes: ${type}${detail}`);
    const situation = situationOf(observation);
    if (situation) count(situation);
  }

  return {
    startAll(number: number): void {
      for (let slot = 0; slot < number; slot += 1) {
        slots.push({ running: undefined, lives: 0, offsetMs: 0 });
        start(slot);
      }
    },

    reviveAll(): void {
      for (const slot of slots.keys()) start(slot);
    },

    /** As a new version is rolled out: nothing is asked of it any more, and it ends when it is done. */
    shutDownOne(): void {
      const place = random.pick(slots);
      const { running } = place;
      if (!running) return;
      count('shut down');
      tell(running.process.name, 'is shut down');
      place.running = undefined;
      place.offsetMs = running.process.clockOffsetMs;
      leaving.add(running);
      const isLeft = () => {
        leaving.delete(running);
        running.process.stop();
      };
      running.process.resume(() => void drain(running).then(isLeft));
      scheduler.after(random.pick([10, 3_000]), () => start(slots.indexOf(place)));
    },

    /** Those that do not end though they were told to. */
    leaving: () => [...leaving].filter(({ process }) => process.isAlive).length,

    areAwake: () => slots.every(({ running }) => running && !running.process.isAsleep),

    /** Those that are alive, awake or not. */
    running: (): Running[] => slots.flatMap(({ running }) => running ?? []),

    /** Nothing of this history goes on in the next. */
    stopAll(): void {
      for (const { running } of slots) running?.process.stop();
      for (const { process } of leaving) process.stop();
    },

    /** Any of them; undefined when the one that was asked is dead. */
    pick: (): Running | undefined => random.pick(slots).running,
  };
}

/** What `apps/bff` does before it exits. */
export async function drain({ client, lifecycle }: Running): Promise<void> {
  await Promise.all([lifecycle.drain(), client.drain()]);
}

function situationOf(observation: TokenObservation): Situation | undefined {
  switch (observation.type) {
    case 'refreshed':
      return 'a refresh stored tokens';
    case 'refresh_failed':
      if (observation.reason === 'lease_lapsed') return 'lease: lapsed before sending';
      return observation.retryInMs === null ? 'refresh: refused' : undefined;
    case 'triggered':
      return observation.reason === null ? 'trigger: taken' : 'trigger: not taken';
    case 'parked':
      return 'grant parked';
    case 'recovered':
      return 'recovered by a trigger';
    case 'unsaved':
      return 'tokens unsaved';
    case 'saved':
      return 'tokens saved later';
    default:
      return undefined;
  }
}
