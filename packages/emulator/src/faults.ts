/** The faults that are on, and which request meets one. In memory only. */
import { plainWords } from '@dowel/schema';
import { describeIssues } from './describe-issues.ts';
import { PlatformError } from './errors.ts';
import {
  type ActiveFault,
  type Fault,
  type FaultName,
  type FaultOptions,
  faultSchema,
} from './fault-schema.ts';
import { removeFirst } from './remove-first.ts';

/** Ends the fault. */
export interface FaultSwitch {
  (): void;
  readonly id: number;
  /** How many requests have met it. */
  readonly hits: number;
}

/** A request that may meet a fault. */
interface FaultTarget {
  tenantId: string | null;
  pluginId: string | null;
  /** What the `on` of a fault names. */
  on?: string;
  /** Its access token. */
  token?: string | undefined;
}

/** A fault that a request meets. */
export interface MetFault {
  readonly fault: Fault;
  /** Resolves when as many requests have come as the fault holds, or when no more come. */
  readonly released: () => Promise<unknown>;
}

export interface Faults {
  /** @throws PlatformError `INVALID_REQUEST` */
  add<Name extends FaultName>(name: Name, options?: FaultOptions<Name>): FaultSwitch;
  remove(id: number): boolean;
  list(): ActiveFault[];
  /**
   * The oldest fault of this area that the request meets. It counts as met.
   *
   * @param names what else of the area can be met. Default: all.
   */
  take(area: string, target: FaultTarget, names?: readonly FaultName[]): MetFault | undefined;
}

interface Entry {
  readonly id: number;
  readonly fault: Fault;
  hits: number;
  seen: number;
  /** Of the first request that met it. */
  token: string | undefined;
  readonly barrier: Barrier;
}

/** A back end that calls one after the other never sends as many requests as a fault holds. */
const maxPauseMs = 3_000;

function parseFault(given: unknown): Fault {
  const parsed = faultSchema.safeParse(given, { error: plainWords });
  if (parsed.success) return parsed.data;
  throw new PlatformError('INVALID_REQUEST', describeIssues(parsed.error));
}

export function createFaults(onChange: () => void): Faults {
  const entries: Entry[] = [];
  let latestId = 0;
  const remove = (id: number) => {
    entries.find((each) => each.id === id)?.barrier.release();
    const isRemoved = removeFirst(entries, (each) => each.id === id);
    if (isRemoved) onChange();
    return isRemoved;
  };
  return {
    add(name, options) {
      const fault = parseFault({ name, ...options });
      latestId += 1;
      const entry: Entry = {
        id: latestId,
        fault,
        hits: 0,
        seen: 0,
        token: undefined,
        barrier: createBarrier(fault),
      };
      entries.push(entry);
      onChange();
      const off = () => void remove(entry.id);
      return Object.defineProperties(off as FaultSwitch, {
        id: { value: entry.id },
        hits: { get: () => entry.hits },
      });
    },
    remove,
    list: () => entries.map(({ id, hits, fault }) => structuredClone({ id, hits, fault })),
    take(area, target, names) {
      const entry = entries.find(
        ({ fault, token }) =>
          fault.name.startsWith(`${area}.`) &&
          (names?.includes(fault.name) ?? true) &&
          matches(fault, target) &&
          isFor(token, target.token),
      );
      if (!entry) return undefined;
      entry.seen += 1;
      const { fault, barrier } = entry;
      if (entry.seen <= fault.skip) return undefined;
      entry.hits += 1;
      if ('sameToken' in fault && fault.sameToken) entry.token ??= target.token;
      if (entry.hits >= timesOf(fault)) remove(entry.id);
      return { fault, released: barrier.pass };
    },
  };
}

/** As many as it holds meet it. */
function timesOf(fault: Fault): number {
  if (fault.times === 'always') return Number.POSITIVE_INFINITY;
  return 'hold' in fault ? Math.max(fault.times, fault.hold) : fault.times;
}

function matches(fault: Fault, { tenantId, pluginId, on }: FaultTarget): boolean {
  return (
    isFor('tenantId' in fault ? fault.tenantId : undefined, tenantId) &&
    isFor('pluginId' in fault ? fault.pluginId : undefined, pluginId) &&
    isFor('on' in fault ? fault.on : undefined, on)
  );
}

function isFor(wanted: string | undefined, given: string | null | undefined): boolean {
  return wanted === undefined || wanted === given;
}

interface Barrier {
  /** Resolves when as many requests have come as the fault holds, or when none has come for a while. */
  pass(): Promise<unknown>;
  release(): void;
}

/** Requests of a fault that holds none pass at once. */
function createBarrier(fault: Fault): Barrier {
  let missing = 'hold' in fault ? fault.hold : 1;
  let timer: NodeJS.Timeout | undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    pass() {
      missing -= 1;
      clearTimeout(timer);
      if (missing <= 0) resolve();
      else timer = setTimeout(resolve, maxPauseMs).unref();
      return promise;
    },
    release: resolve,
  };
}
