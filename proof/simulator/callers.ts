/** Calls of the platform through the product. Each must end in time, with an answer or an error with a code. */
import { StoreError } from '@dowel/installation-store';
import { defaultPolicy, TokenClientError } from '@dowel/token-client';
import type { AccessCheck } from './checks/access-check.ts';
import { callHeader } from './checks/call-check.ts';
import type { StoredState } from './checks/stored-state.ts';
import { streamType } from './network.ts';
import { NetworkError } from './network-error.ts';
import type { Running } from './processes.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import { type Simulation, secretMark } from './simulation.ts';
import type { Situation } from './situations.ts';
import type { Tenant } from './tenant.ts';

export type Callers = ReturnType<typeof createCallers>;

interface OpenCall {
  what: string;
  process: SimulatedProcess;
  startedAt: number;
  sleptMs: number;
}

/** The end of a call: a status, or an error's code. */
type Outcome = number | string;

const path = '/api/notifications';
/** The time that a call's last step may take after its time-out. */
const lateMs = 50;

/** Times after which a caller stops reading a long body. */
const readingMs = [0, 4_000, 15_000];

class CallerLeft extends Error {}

interface CallersContext {
  readonly simulation: Simulation;
  readonly state: StoredState;
  readonly check: AccessCheck;
  readonly calls: Set<OpenCall>;
  made: number;
}

export function createCallers(simulation: Simulation, state: StoredState, check: AccessCheck) {
  const calls = new Set<OpenCall>();
  const context: CallersContext = { simulation, state, check, calls, made: 0 };
  return {
    /**
     * One call as a plug-in makes it. Resolves with its status or its error's code; never when the
     * process dies.
     *
     * @param leavesAfterMs when the caller gives up.
     */
    call: (running: Running, tenant: Tenant, leavesAfterMs?: number) =>
      call(context, running, { tenant, leavesAfterMs }),

    /** A caller that sends requests itself: it takes a token, and may report that the platform refused it. */
    borrow: (running: Running, tenant: Tenant) => borrow(context, running, tenant),

    /** No living process has an open call. */
    isQuiet: () => [...calls].every(({ process }) => !process.isAlive),

    /** Calls of living processes must have ended by now. */
    checkAllEnded(): void {
      for (const { process, what } of calls) {
        if (process.isAlive) simulation.violate('every call ends', `${process.name}, ${what}`);
      }
    },
  };
}

async function call(
  context: CallersContext,
  running: Running,
  { tenant, leavesAfterMs }: { tenant: Tenant; leavesAfterMs: number | undefined },
): Promise<Outcome> {
  const { simulation, state } = context;
  const id = state.idOf(tenant);
  if (id === undefined) return 'nobody';
  const leaving = leavesAfterMs === undefined ? null : new AbortController();
  const leave = () => running.process.resume(() => leaving?.abort(new CallerLeft()));
  if (leavesAfterMs !== undefined) simulation.scheduler.after(leavesAfterMs, leave);
  const outcome = await settle(context, running, {
    what: `call of ${tenant.name}`,
    work: () => request(context, running, { tenant, id, signal: leaving?.signal ?? null }),
  });
  const situation = outcomes[outcome];
  if (situation) simulation.count(situation);
  return outcome;
}

async function borrow(context: CallersContext, running: Running, tenant: Tenant): Promise<void> {
  const id = context.state.idOf(tenant);
  if (id === undefined) return;
  let lent: number | undefined;
  await settle(context, running, {
    what: `token of ${tenant.name}`,
    async work() {
      const { tokenVersion } = await running.client.getAccessToken(id);
      lent = tokenVersion;
      return 'lent';
    },
  });
  const refused = lent;
  if (refused === undefined || !context.simulation.random.chance(0.5)) return;
  await settle(context, running, {
    what: `refusal of ${tenant.name}`,
    async work() {
      context.check.living.doubts(running.process, tenant);
      await running.client.invalidate(id, refused);
      return 'renewed';
    },
  });
}

/** Resolves with the outcome of `work`, and checks its time and its error. */
function settle(
  { simulation, calls }: CallersContext,
  { process }: Running,
  { what, work }: { what: string; work: () => Promise<Outcome> },
): Promise<Outcome> {
  const startedAt = simulation.scheduler.now();
  const open: OpenCall = { what, process, startedAt, sleptMs: process.sleptMs };
  calls.add(open);
  process.cross();
  return new Promise((resolve) => {
    const end = (outcome: Outcome) => {
      calls.delete(open);
      checkTime(simulation, open);
      simulation.log(process.name, `${what}: ${outcome}`);
      resolve(outcome);
    };
    process.resume(() => {
      work().then(end, (error: unknown) => end(judge(simulation, error, what)));
    });
  });
}

function checkTime(
  { scheduler, violate }: Simulation,
  { what, process, startedAt, sleptMs }: OpenCall,
): void {
  const tookMs = scheduler.now() - startedAt - (process.sleptMs - sleptMs);
  if (tookMs > defaultPolicy.callTimeoutMs + lateMs) {
    violate('every call ends in its time', `${process.name}, ${what}: ${Math.round(tookMs)} ms`);
  }
}

/** Only these errors may reach a caller. */
function judge({ violate }: Simulation, error: unknown, what: string): Outcome {
  const text = `${String(error)} ${JSON.stringify(error)}`;
  if (text.includes(secretMark)) violate('no secret is in an error', text);
  if (error instanceof TokenClientError || error instanceof StoreError) return error.code;
  if (error instanceof NetworkError) return 'network error';
  if (error instanceof CallerLeft) return 'left';
  violate('every error has a code', `${what}: ${(error as Error).stack ?? text}`);
  return text;
}

async function request(
  context: CallersContext,
  { client, process }: Running,
  { tenant, id, signal }: { tenant: Tenant; id: string; signal: AbortSignal | null },
): Promise<number> {
  signal?.throwIfAborted();
  const { living } = context.check;
  context.made += 1;
  const name = String(context.made);
  const headers = { [callHeader]: name };
  living.begins(name, process, tenant);
  let body: Promise<void> | undefined;
  try {
    const response = await client.fetch(id, path, { method: 'POST', body: '{}', headers, signal });
    if (response.status === 401) context.check.refused(name);
    body = readBody(context, process, response);
    return response.status;
  } finally {
    living.ends(name);
    void Promise.resolve(body).finally(() => living.bodyEnds(process, tenant));
  }
}

/** Reads a body that lasts until its reader has enough. Resolves when it is over, however it ends. */
async function readBody(
  { simulation: { scheduler, random, count } }: CallersContext,
  process: SimulatedProcess,
  { body, headers }: Response,
): Promise<void> {
  if (headers.get('content-type') !== streamType) return body?.cancel();
  const reader = body?.getReader();
  const leave = () => {
    count('body: left by its reader');
    // The body may have ended with an error meanwhile.
    reader?.cancel().catch(() => {});
  };
  const stay = scheduler.after(random.pick(readingMs), () => process.resume(leave));
  try {
    while (!(await reader?.read())?.done);
  } catch {
    // The body ended with an error, or its caller left.
  } finally {
    stay();
  }
}

const outcomes: Partial<Record<Outcome, Situation>> = {
  200: 'call: succeeded',
  REFRESH_FAILED: 'call: REFRESH_FAILED',
  TOKEN_UNAVAILABLE: 'call: TOKEN_UNAVAILABLE',
  CALL_TIMED_OUT: 'call: CALL_TIMED_OUT',
  GRANT_NOT_FOUND: 'call: GRANT_NOT_FOUND',
  left: 'call: left by its caller',
};
