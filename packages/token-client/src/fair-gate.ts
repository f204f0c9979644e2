/**
 * Limits how many requests run at once, fairly between tenants. Requests with the same key, such as an origin,
 * share its places, and each tenant begins with few of them. A tenant that hangs keeps its places for a long
 * time, so serving tenants in turn would not be enough (docs/decisions/0035-fair-places.md).
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
  /**
   * The most places of a key for tenants that have not answered yet, together. When they have `suspectPlaces`, the
   * rest is for those that have none. More than both of these together must be in `places`.
   */
  newPlaces: number;
}

export interface PlaceWait {
  timer: Timer;
  ms: number;
  /** The caller's own signal. It ends this wait. A signal that many waits share must be given to the gate. */
  signal?: AbortSignal | null | undefined;
}

/** How a request ended. `unknown`: it was not sent, or its caller left. */
export type RequestEnding = 'answered' | 'timed out' | 'unknown';

/** How the tenant's last request ended that was answered or timed out; `new`: there was none. */
type Standing = 'new' | 'answering' | 'suspect';

/** A tenant's share of the places of one key. */
export interface Share {
  readonly lane: Lane;
  /** The places that the tenant may have now. */
  size: number;
  taken: number;
  standing: Standing;
  /** Each function is called when its waiter gets a place. */
  readonly waiting: Set<() => void>;
}

/** New tenants stand in two lines: those without a place, and those that want another one. */
const lineNames = ['answering', 'suspect', 'first', 'further'] as const;
type LineName = (typeof lineNames)[number];

/** All shares of one key. */
interface Lane {
  readonly takenBy: Record<Standing, number>;
  readonly shares: Map<string, Share>;
  /** Shares with waiters that may have one more place, in the order of their turns. */
  readonly lines: Record<LineName, Set<Share>>;
  /** The lines are served in turn, too: this one comes next. */
  turn: number;
}

export interface FairGate {
  readonly figures: GateFigures;
  readonly lanes: Map<string, Lane>;
  /** Ends all waits when it is aborted. */
  readonly closing: AbortSignal | undefined;
  /** Each ends one wait. */
  readonly leavers: Set<() => void>;
}

/** The key of a gate of the whole process, whose tenants are base URLs. */
export const everyBase = '';

/** How many idle keys a gate remembers, and how many idle tenants of each key. */
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
  if (entered) return entered;
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
  resize(gate, share, ending);
  giveBack(gate, share);
}

/** Changes the tenant's share by how its request ended. The request keeps its place. */
export function report(gate: FairGate, share: Share, ending: RequestEnding): void {
  resize(gate, share, ending);
  serveWaiting(gate, share);
}

/** Gives the place back, and serves the next waiters. */
export function giveBack(gate: FairGate, share: Share): void {
  share.taken -= 1;
  share.lane.takenBy[share.standing] -= 1;
  serveWaiting(gate, share);
}

function resize({ figures }: FairGate, share: Share, ending: RequestEnding): void {
  if (ending === 'answered') {
    share.size = Math.min(share.size + 1, figures.maxPlaces);
    setStanding(share, 'answering');
  } else if (ending === 'timed out') {
    share.size = Math.max(1, Math.floor(share.size / 2));
    setStanding(share, 'suspect');
  }
}

/** Call it after a change of the share, or of the places of its key. */
function serveWaiting(gate: FairGate, share: Share): void {
  if (share.waiting.size > 0) stand(share);
  serve(gate, share.lane);
}

function take(share: Share): void {
  share.taken += 1;
  share.lane.takenBy[share.standing] += 1;
}

function mayTake({ figures }: FairGate, share: Share): boolean {
  const { lane, size, taken } = share;
  if (taken >= size || takenOf(lane) >= figures.places) return false;
  switch (lineOf(share)) {
    case 'answering':
      return true;
    case 'suspect':
      return lane.takenBy.suspect < figures.suspectPlaces;
    case 'first':
      return lane.takenBy.new < figures.newPlaces;
    case 'further':
      return lane.takenBy.new < figures.suspectPlaces;
  }
}

function takenOf({ takenBy }: Lane): number {
  return takenBy.new + takenBy.answering + takenBy.suspect;
}

function lineOf({ standing, taken }: Share): LineName {
  if (standing !== 'new') return standing;
  return taken === 0 ? 'first' : 'further';
}

function setStanding(share: Share, standing: Standing): void {
  const { takenBy } = share.lane;
  takenBy[share.standing] -= share.taken;
  takenBy[standing] += share.taken;
  share.standing = standing;
}

/** Queues the tenant in its line, or removes it. A queued tenant keeps its position. */
function stand(share: Share): void {
  const { lane, waiting, taken, size } = share;
  const line = waiting.size > 0 && taken < size ? lineOf(share) : undefined;
  for (const name of lineNames) if (name !== line) lane.lines[name].delete(share);
  if (line) lane.lines[line].add(share);
}

/** Gives free places to the waiters, one to each tenant in turn. */
function serve(gate: FairGate, lane: Lane): void {
  for (;;) {
    const share = nextInTurn(gate, lane);
    const called = share && first(share.waiting);
    if (!called) return;
    lane.lines[lineOf(share)].delete(share);
    take(share);
    called();
    stand(share);
  }
}

function nextInTurn(gate: FairGate, lane: Lane): Share | undefined {
  for (const _ of lineNames) {
    const name = lineNames[lane.turn % lineNames.length] as LineName;
    lane.turn += 1;
    const share = first(lane.lines[name]);
    if (share && mayTake(gate, share)) return share;
  }
  return undefined;
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
    standing: 'new',
    waiting: new Set(),
  };
  forgetIdle(lane.shares, ({ taken, waiting }) => taken === 0 && waiting.size === 0);
  lane.shares.set(tenant, added);
  return added;
}

function addLane(lanes: Map<string, Lane>, key: string): Lane {
  const lane: Lane = {
    takenBy: { new: 0, answering: 0, suspect: 0 },
    shares: new Map(),
    lines: { answering: new Set(), suspect: new Set(), first: new Set(), further: new Set() },
    turn: 0,
  };
  const isIdle = (each: Lane) =>
    takenOf(each) === 0 && lineNames.every((name) => each.lines[name].size === 0);
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
