/**
 * A gate before connections. Requests to the same place, such as an origin, share its places, and each
 * tenant begins with few of them: places that a hanging tenant takes do not come back for a long time, so
 * turns alone would not help its neighbours (docs/decisions/0035-fair-places.md).
 */
import type { Timer } from '@dowel/http';

export interface GateFigures {
  /** The most requests at once with the same key, of all tenants. */
  places: number;
  /** The places that a tenant begins with. It gets one more for each answer … */
  firstPlaces: number;
  /** … up to this many, and loses half of them after a time-out. */
  maxPlaces: number;
  /** The most places of a key for tenants whose last request timed out, together. */
  suspectPlaces: number;
}

export interface PlaceWait {
  timer: Timer;
  ms: number;
  /** Ends this wait: the caller's own signal. One that many waits share belongs to the gate. */
  signal?: AbortSignal | null | undefined;
}

/** How a request ended. `unknown`: it was not sent, or its caller left. */
export type RequestEnding = 'answered' | 'timed out' | 'unknown';

/** A tenant's share of the places of one key. */
export interface Share {
  readonly lane: Lane;
  /** The places that the tenant may have now. */
  size: number;
  taken: number;
  /** The last request timed out. */
  isSuspect: boolean;
  /** Each is called when the waiter has its place. */
  readonly waiting: Set<() => void>;
}

/** All shares of one key. */
interface Lane {
  taken: number;
  takenBySuspects: number;
  readonly shares: Map<string, Share>;
  /** Shares with waiters that may have one more place, in the order of their turns. */
  readonly ready: Set<Share>;
  readonly readySuspects: Set<Share>;
  /** Both kinds are served in turn. */
  isTurnOfSuspects: boolean;
}

export interface FairGate {
  readonly figures: GateFigures;
  readonly lanes: Map<string, Lane>;
  /** Ends all waits when it is aborted. */
  readonly closing: AbortSignal | undefined;
  /** Each ends one wait. */
  readonly leavers: Set<() => void>;
}

/** What a gate remembers of idle keys, and of each key's idle tenants. */
const maxRemembered = 10_000;

/**
 * @param closing ends all waits, now and from then on. One listener serves all waiters: a signal compares each
 * new listener with all that it has, so thousands of waiters would block the event loop.
 */
export function createFairGate(figures: GateFigures, closing?: AbortSignal): FairGate {
  const leavers = new Set<() => void>();
  closing?.addEventListener('abort', () => {
    for (const leaveLine of leavers) leaveLine();
  });
  return { figures, lanes: new Map(), closing, leavers };
}

/** Takes a place at once; undefined if the tenant must wait. */
export function enter(gate: FairGate, key: string, tenant: string): Share | undefined {
  const share = shareOf(gate, key, tenant);
  if (!mayTake(gate, share)) return undefined;
  take(share);
  return share;
}

/** Takes a place, now or when it is the tenant's turn. Undefined after `ms`, or at the end of the signal or the gate. */
export async function waitToEnter(
  gate: FairGate,
  { key, tenant }: { key: string; tenant: string },
  { timer, ms, signal }: PlaceWait,
): Promise<Share | undefined> {
  if (signal?.aborted || gate.closing?.aborted) return undefined;
  const entered = enter(gate, key, tenant);
  if (entered || ms <= 0) return entered;
  const share = shareOf(gate, key, tenant);
  return new Promise((resolve) => {
    const end = (place?: Share) => {
      cancel();
      signal?.removeEventListener('abort', leaveLine);
      gate.leavers.delete(leaveLine);
      share.waiting.delete(called);
      resolve(place);
    };
    const called = () => end(share);
    const leaveLine = () => {
      end();
      stand(share);
    };
    const cancel = timer.after(ms, leaveLine);
    signal?.addEventListener('abort', leaveLine);
    gate.leavers.add(leaveLine);
    share.waiting.add(called);
    stand(share);
  });
}

/**
 * Runs `work` with a place. It reports how its request ended.
 *
 * @returns undefined when there was no place in time.
 */
export async function withPlace<Result>(
  gate: FairGate,
  who: { key: string; tenant: string },
  wait: PlaceWait,
  work: (report: (ending: RequestEnding) => void) => Promise<Result>,
): Promise<Result | undefined> {
  const share = await waitToEnter(gate, who, wait);
  if (!share) return undefined;
  let ending: RequestEnding = 'unknown';
  try {
    return await work((how) => {
      ending = how;
    });
  } finally {
    leave(gate, share, ending);
  }
}

/** Reports how the request ended and gives its place back, both at once. */
export function leave(gate: FairGate, share: Share, ending: RequestEnding): void {
  judge(gate, share, ending);
  giveBack(gate, share);
}

/** Changes the tenant's share by how its request ended. The request keeps its place. */
export function report(gate: FairGate, share: Share, ending: RequestEnding): void {
  judge(gate, share, ending);
  serveWaiting(gate, share);
}

/** Gives the place back, and serves who waits. */
export function giveBack(gate: FairGate, share: Share): void {
  share.taken -= 1;
  share.lane.taken -= 1;
  if (share.isSuspect) share.lane.takenBySuspects -= 1;
  serveWaiting(gate, share);
}

function judge({ figures }: FairGate, share: Share, ending: RequestEnding): void {
  if (ending === 'answered') {
    share.size = Math.min(share.size + 1, figures.maxPlaces);
    setSuspect(share, false);
  } else if (ending === 'timed out') {
    share.size = Math.max(1, Math.floor(share.size / 2));
    setSuspect(share, true);
  }
}

/** After a change of the share, or of the places of its key. */
function serveWaiting(gate: FairGate, share: Share): void {
  const { lane } = share;
  if (share.waiting.size > 0) stand(share);
  if (lane.ready.size > 0 || lane.readySuspects.size > 0) serve(gate, lane);
}

function take(share: Share): void {
  share.taken += 1;
  share.lane.taken += 1;
  if (share.isSuspect) share.lane.takenBySuspects += 1;
}

function mayTake({ figures }: FairGate, { lane, size, taken, isSuspect }: Share): boolean {
  if (taken >= size || lane.taken >= figures.places) return false;
  return !isSuspect || lane.takenBySuspects < figures.suspectPlaces;
}

function setSuspect(share: Share, isSuspect: boolean): void {
  if (share.isSuspect === isSuspect) return;
  share.isSuspect = isSuspect;
  share.lane.takenBySuspects += isSuspect ? share.taken : -share.taken;
}

/** Puts the share into the line that it belongs to, or into none. It keeps its turn if it stands there already. */
function stand(share: Share): void {
  const { lane, waiting, taken, size, isSuspect } = share;
  const isReady = waiting.size > 0 && taken < size;
  const line = isSuspect ? lane.readySuspects : lane.ready;
  (isSuspect ? lane.ready : lane.readySuspects).delete(share);
  if (isReady) line.add(share);
  else line.delete(share);
}

/** Gives free places to the waiters, one to each tenant in turn. */
function serve(gate: FairGate, lane: Lane): void {
  for (;;) {
    const share = nextInTurn(gate, lane);
    const called = share && first(share.waiting);
    if (!called) return;
    take(share);
    lane.ready.delete(share);
    lane.readySuspects.delete(share);
    called();
    stand(share);
  }
}

function nextInTurn(gate: FairGate, lane: Lane): Share | undefined {
  lane.isTurnOfSuspects = !lane.isTurnOfSuspects;
  const { ready, readySuspects } = lane;
  const lines = lane.isTurnOfSuspects ? [readySuspects, ready] : [ready, readySuspects];
  return lines.map(first).find((share) => share && mayTake(gate, share));
}

function first<Value>(values: Set<Value>): Value | undefined {
  return values.values().next().value;
}

function shareOf({ figures, lanes }: FairGate, key: string, tenant: string): Share {
  const lane = lanes.get(key) ?? addLane(lanes, key);
  const known = lane.shares.get(tenant);
  if (known) return known;
  const added: Share = {
    lane,
    size: figures.firstPlaces,
    taken: 0,
    isSuspect: false,
    waiting: new Set(),
  };
  forgetIdle(lane.shares, ({ taken, waiting }) => taken === 0 && waiting.size === 0);
  lane.shares.set(tenant, added);
  return added;
}

function addLane(lanes: Map<string, Lane>, key: string): Lane {
  const lane: Lane = {
    taken: 0,
    takenBySuspects: 0,
    shares: new Map(),
    ready: new Set(),
    readySuspects: new Set(),
    isTurnOfSuspects: false,
  };
  const isIdle = ({ taken, ready, readySuspects }: Lane) =>
    taken === 0 && ready.size === 0 && readySuspects.size === 0;
  forgetIdle(lanes, isIdle);
  lanes.set(key, lane);
  return lane;
}

/** Makes room for one more entry: drops the oldest idle one. */
function forgetIdle<Value>(entries: Map<string, Value>, isIdle: (entry: Value) => boolean): void {
  if (entries.size < maxRemembered) return;
  for (const [key, entry] of entries) {
    if (!isIdle(entry)) continue;
    entries.delete(key);
    return;
  }
}
