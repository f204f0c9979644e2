/**
 * A call with a living token never waits for the database or for another tenant.
 *
 * The check does not read the product's memory; it computes what a process must have. A process has a living token
 * of an installation if
 * - it has sent the token with a call, so the token is in its memory;
 * - it has received no change of these tokens since then, and all of them are stored;
 * - it asked the database for no renewal in the last minute, and met no 401 and no report of one: a call may
 *   wait for a renewal;
 * - the token lives two minutes longer, and no process's clock was set.
 *
 * A call then leaves the process in the instant of virtual time in which it begins. It ends in the instant in
 * which the platform's answer arrives, unless that is a 401. It may wait for its own installation: so its
 * installation has fewer other open calls than the places that it certainly has.
 */
import { callPlaces } from '../places.ts';
import type { SimulatedProcess } from '../simulated-process.ts';
import type { Simulation } from '../simulation.ts';
import type { Tenant } from '../tenant.ts';

export const livingTokenRule =
  'a call with a living token never waits for the database or for another tenant';

/** The state of one installation in a process. */
interface Known {
  /** The token in memory. */
  accessToken: string | undefined;
  hasUnsaved: boolean;
  /** When a renewal may have begun, in milliseconds in which the process was awake. */
  doubtedAt: number;
  /** The number of open calls, including those whose bodies may still be read. */
  openCalls: number;
  /** False: the tenant shares its places with all new tenants until its first answer. */
  hasAnswered: boolean;
  /** The places that it certainly has. An answer adds one, a time-out removes some. */
  places: number;
}

/** A call that must be sent at once. */
interface CheckedCall {
  beganAt: number;
  isSent: boolean;
  answeredAt: number | undefined;
}

export type CallEnding = 'answered' | 'refused token' | 'unanswered';

/** A renewal that began earlier has ended. */
const longestRenewalMs = 60_000;
/** A token with more life than this is not renewed yet. */
const longLifeMs = 120_000;
const { firstPlaces } = callPlaces;

interface Context {
  simulation: Simulation;
  known: WeakMap<SimulatedProcess, Map<Tenant, Known>>;
  /** Calls by name. */
  calls: Map<string, CheckedCall>;
  areClocksRight: boolean;
}

export type LivingTokens = ReturnType<typeof createLivingTokens>;

export function createLivingTokens(simulation: Simulation) {
  const context: Context = {
    simulation,
    known: new WeakMap(),
    calls: new Map(),
    areClocksRight: true,
  };
  return {
    /** The process begins a call. */
    begins: (name: string, process: SimulatedProcess, tenant: Tenant) =>
      begins(context, name, { process, tenant }),
    /** A request of the call leaves the process. */
    leaves: (name: string, process: SimulatedProcess, sent: { tenant: Tenant; token: string }) =>
      leaves(context, name, { process, ...sent }),
    /** The request has an answer, or will have none. */
    hasAnswer: (name: string, process: SimulatedProcess, tenant: Tenant, ending: CallEnding) =>
      hasAnswer(context, name, { process, tenant, ending }),
    /** The caller has the headers of the answer, or an error. */
    ends: (name: string) => ends(context, name),
    /** The body of the answer is over, or there is none. */
    bodyEnds(process: SimulatedProcess, tenant: Tenant): void {
      knownOf(context, process, tenant).openCalls -= 1;
    },
    /** The process may begin a renewal. */
    doubts(process: SimulatedProcess, tenant: Tenant): void {
      doubt(knownOf(context, process, tenant), simulation, process);
    },
    /** The process is notified that the tokens have changed. */
    hearsOfChange(process: SimulatedProcess, tenant: Tenant): void {
      knownOf(context, process, tenant).accessToken = undefined;
    },
    /** The process has tokens that it could not store. It may drop them at any time. */
    keepsUnsaved(process: SimulatedProcess, tenant: Tenant): void {
      knownOf(context, process, tenant).hasUnsaved = true;
    },
    /** After a clock was set, a process may treat living tokens as expired. */
    clockWasSet(): void {
      context.areClocksRight = false;
    },
  };
}

/** A process and the tenant that it calls. */
interface Call {
  process: SimulatedProcess;
  tenant: Tenant;
}

function begins(context: Context, name: string, { process, tenant }: Call): void {
  const { simulation, calls } = context;
  const known = knownOf(context, process, tenant);
  if (mustBeSentAtOnce(context, { process, tenant, known })) {
    simulation.count('call: with a living token');
    const beganAt = simulation.scheduler.now();
    calls.set(name, { beganAt, isSent: false, answeredAt: undefined });
  }
  known.openCalls += 1;
}

function leaves(
  context: Context,
  name: string,
  { process, tenant, token }: Call & { token: string },
): void {
  knownOf(context, process, tenant).accessToken = token;
  const call = context.calls.get(name);
  if (!call || call.isSent) return;
  call.isSent = true;
  checkInstant(context, name, { since: call.beganAt, what: 'was sent' });
}

function hasAnswer(
  context: Context,
  name: string,
  { process, tenant, ending }: Call & { ending: CallEnding },
): void {
  const { simulation, calls } = context;
  const known = knownOf(context, process, tenant);
  known.places = ending === 'unanswered' ? 0 : Math.min(known.places + 1, firstPlaces);
  known.hasAnswered ||= ending !== 'unanswered';
  if (ending === 'refused token') doubt(known, simulation, process);
  const call = calls.get(name);
  if (call && ending === 'answered') call.answeredAt = simulation.scheduler.now();
  else calls.delete(name);
}

function ends(context: Context, name: string): void {
  const call = context.calls.get(name);
  context.calls.delete(name);
  if (call && !call.isSent) violate(context, name, 'was not sent');
  if (call?.answeredAt === undefined) return;
  checkInstant(context, name, { since: call.answeredAt, what: 'ended' });
}

function mustBeSentAtOnce(
  { simulation: { scheduler }, areClocksRight }: Context,
  { process, tenant, known }: { process: SimulatedProcess; tenant: Tenant; known: Known },
): boolean {
  const { accessToken, hasUnsaved, hasAnswered, doubtedAt, openCalls, places } = known;
  if (accessToken === undefined || hasUnsaved || !hasAnswered || !areClocksRight) return false;
  if (awakeMs(scheduler, process) - doubtedAt <= longestRenewalMs) return false;
  return tenant.expiryOf(accessToken) - scheduler.now() > longLifeMs && openCalls < places;
}

function knownOf({ known }: Context, process: SimulatedProcess, tenant: Tenant): Known {
  const own = known.get(process) ?? new Map<Tenant, Known>();
  known.set(process, own);
  const before = own.get(tenant);
  if (before) return before;
  const added: Known = {
    accessToken: undefined,
    hasUnsaved: false,
    doubtedAt: Number.NEGATIVE_INFINITY,
    openCalls: 0,
    hasAnswered: false,
    places: firstPlaces,
  };
  own.set(tenant, added);
  return added;
}

function doubt(known: Known, { scheduler }: Simulation, process: SimulatedProcess): void {
  known.doubtedAt = awakeMs(scheduler, process);
}

function awakeMs({ now }: Simulation['scheduler'], { sleptMs }: SimulatedProcess): number {
  return now() - sleptMs;
}

function checkInstant(
  context: Context,
  name: string,
  { since, what }: { since: number; what: string },
): void {
  const waitedMs = context.simulation.scheduler.now() - since;
  if (waitedMs > 0) violate(context, name, `${what} ${Math.round(waitedMs)} ms late`);
}

function violate({ simulation }: Context, name: string, what: string): void {
  simulation.violate(livingTokenRule, `call ${name} ${what}`);
}
