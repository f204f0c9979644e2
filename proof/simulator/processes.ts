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
import type { Mutation } from './history.ts';
import { createCallFetch, createFetch, type NetworkHost } from './network.ts';
import { callPlaces, crowdSize } from './places.ts';
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

/** One process after the other: a slot is empty from the end of one to the start of the next. */
interface Slot {
  number: number;
  running: Running | undefined;
  /** The number of processes started in this slot. */
  starts: number;
  /** Milliseconds by which the machine's clock is ahead. */
  offsetMs: number;
}

export interface ProcessSurroundings {
  host: NetworkHost;
  link: DatabaseLink;
  check: AccessCheck;
  mutation: Mutation;
}

interface Context extends ProcessSurroundings {
  simulation: Simulation;
  slots: Slot[];
  /** Processes that were asked to end. */
  leaving: Set<Running>;
}

export type Processes = ReturnType<typeof createProcesses>;

const healEveryMs = 20_000;
/** Little memory for each process, and few places. */
const small: Partial<TokenPolicy> = { maxGrants: 2 * crowdSize, callPlaces };
/** More than any history needs: the limiter counts by the real clock. */
const exchangesPerMinute = 1_000_000;

export function createProcesses(simulation: Simulation, surroundings: ProcessSurroundings) {
  const context: Context = { simulation, ...surroundings, slots: [], leaving: new Set() };
  const { slots, leaving } = context;
  return {
    startAll: (count: number) => startAll(context, count),
    reviveAll: () => {
      for (const slot of slots) start(context, slot);
    },
    shutDownOne: () => shutDownOne(context),
    /** The number of processes that were asked to end and still run. */
    leaving: () => [...leaving].filter(({ process }) => process.isAlive).length,
    areAwake: () => slots.every(({ running }) => running && !running.process.isAsleep),
    /** Living processes, awake or not. */
    running: (): Running[] => slots.flatMap(({ running }) => running ?? []),
    /** Ends every process, so that nothing reaches the next history. */
    stopAll: () => stopAll(context),
    /** A random process; undefined when the chosen slot is empty. */
    pick: (): Running | undefined => simulation.random.pick(slots).running,
  };
}

function startAll(context: Context, count: number): void {
  for (let number = 1; number <= count; number += 1) {
    const slot: Slot = { number, running: undefined, starts: 0, offsetMs: 0 };
    context.slots.push(slot);
    start(context, slot);
  }
}

function start(context: Context, slot: Slot): void {
  if (slot.running) return;
  slot.starts += 1;
  const { simulation, check } = context;
  const { number, starts } = slot;
  const name = starts === 1 ? `p${number}` : `p${number}.${starts}`;
  const process = createSimulatedProcess(simulation, name, {
    clockOffsetMs: slot.offsetMs,
    onDeath() {
      check.died(process);
      if (slot.running?.process === process) restartLater(context, slot, [10, 3_000, 18_000]);
    },
  });
  slot.running = { process, ...createProduct(context, process) };
  simulation.log(name, 'starts');
  healLater(context, slot.running);
}

/** The product as `apps/bff` composes it, on the simulated clock, network and database. */
function createProduct(context: Context, process: SimulatedProcess) {
  const { simulation, host, link, mutation } = context;
  const { now, timer } = process;
  const store = createProcessStore(simulation, process, link);
  const policy = { ...small, ...mutation.policy };
  const connectionsPerOrigin = (policy.callPlaces ?? callPlaces).places;
  const callFetch = createCallFetch(simulation, process, { host, connectionsPerOrigin });
  const sound = createTokenClient({
    store,
    tokenFetch: createFetch(simulation, process, host),
    callFetch: mutation.callFetch?.(callFetch) ?? callFetch,
    now,
    timer,
    random: simulation.random.next,
    policy,
    observe: (observation) => observe(context, process, observation),
  });
  const client = mutation.client?.(sound, store) ?? sound;
  const lifecycle = createLifecycle({
    store,
    tokenClient: client,
    requestedScopes: ['plugin:notify'],
    exchangesPerMinute,
    now,
    timer,
  });
  return { client, lifecycle };
}

/** Empties the slot, and starts another process there after one of the delays. */
function restartLater(context: Context, slot: Slot, delaysMs: readonly number[]): void {
  const { scheduler, random } = context.simulation;
  slot.offsetMs = slot.running?.process.clockOffsetMs ?? slot.offsetMs;
  slot.running = undefined;
  scheduler.after(random.pick(delaysMs), () => start(context, slot));
}

/** Like in a rolling update, the process gets no more work and ends when its work is done. */
function shutDownOne(context: Context): void {
  const { random, count, log } = context.simulation;
  const slot = random.pick(context.slots);
  const { running } = slot;
  if (!running) return;
  const { process } = running;
  count('shut down');
  log(process.name, 'is shut down');
  context.leaving.add(running);
  const leave = () => {
    context.leaving.delete(running);
    process.stop();
  };
  process.resume(() => void drain(running).then(leave));
  restartLater(context, slot, [10, 3_000]);
}

function stopAll({ slots, leaving }: Context): void {
  for (const { running } of slots) running?.process.stop();
  for (const { process } of leaving) process.stop();
}

function healLater(context: Context, running: Running): void {
  const { scheduler, climate } = context.simulation;
  scheduler.after(healEveryMs, () => {
    if (!running.process.isAlive) return;
    if (climate().heals) running.process.resume(() => heal(context, running));
    healLater(context, running);
  });
}

function heal({ simulation }: Context, { client, process }: Running): void {
  client.heal().then(
    (sent) => {
      if (sent > 0) simulation.count('trigger: by heal');
    },
    (error: unknown) => simulation.log(process.name, `heal failed: ${String(error)}`),
  );
}

function observe(
  { simulation: { violate, log, count }, check }: Context,
  process: SimulatedProcess,
  observation: TokenObservation,
): void {
  const text = JSON.stringify(observation);
  if (text.includes(secretMark)) violate('no secret is in an observation', text);
  const detail = 'reason' in observation ? ` ${observation.reason}` : '';
  log(process.name, `observes: ${observation.type}${detail}`);
  if (observation.type === 'unsaved') check.unsaved(process, observation.installationId);
  const situation = situationOf(observation);
  if (situation) count(situation);
}

/** Ends the work of a process, as `apps/bff` does before it exits. */
export async function drain({ client, lifecycle }: Running): Promise<void> {
  await Promise.all([lifecycle.drain(), client.drain()]);
}

function situationOf(observation: TokenObservation): Situation | undefined {
  switch (observation.type) {
    case 'refreshed':
      return 'a refresh stored tokens';
    case 'refresh_failed':
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
