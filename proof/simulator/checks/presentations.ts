/**
 * Checks every code and refresh token that is presented to a token endpoint: how often, by which process,
 * and with which answer. A process that died, slept or lost the database since then is excused: the
 * other processes could not know what it had read.
 */
import { createHash } from 'node:crypto';
import { defaultPolicy } from '@dowel/token-client';
import type { Exchange } from '../network.ts';
import type { SimulatedProcess } from '../simulated-process.ts';
import type { Simulation } from '../simulation.ts';
import type { Tenant } from '../tenant.ts';
import {
  type AnswerRecord,
  answeredNow,
  askForRecord,
  endRecord,
  isRecordLate,
} from './answer-record.ts';
import type { StoredState } from './stored-state.ts';

type Answer = Parameters<Exchange['ended']>[0];

export interface Presentation {
  tenant: Tenant;
  kind: 'code' | 'refresh token';
  secret: string;
  process: SimulatedProcess;
  /** The time at which the lease, or the hold on refreshes, was taken. */
  heldAt: number;
  /** The token set that was stored then. */
  version: string;
  /** True: no process had taken a lease of that version, or the code's exchange, before. */
  isOnly: boolean;
  heard:
    | 'nothing yet'
    | 'nothing'
    | 'not sent'
    | 'not now'
    | 'a gateway gave up'
    | 'a definitive answer';
  /** The access token in the answer. */
  brought: string | undefined;
  /** When its answer was stored. */
  record: AnswerRecord;
}

const { leaseMs, maxPresentations } = defaultPolicy;
/** Only these errors of RFC 6749 §5.2 end a code or a refresh token. */
const finalCodes: ReadonlySet<string | undefined> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_request',
]);
const mayArrive = new Set<Presentation['heard']>(['nothing yet', 'nothing', 'a gateway gave up']);
/** The longest time of an exchange. */
const exchangeMs = 10_000;

interface Context {
  simulation: Simulation;
  state: StoredState;
  /** Presentations by secret. */
  all: Map<string, Presentation[]>;
  open: Set<Presentation>;
  /** The access tokens of a process's own refreshes, with their times. */
  refreshed: WeakMap<SimulatedProcess, Map<string, number>>;
  /** Access tokens whose refresh token or code was presented before, without an answer. */
  inDoubt: Set<string>;
  /** Exchanges, sent or not. */
  begun: Map<Tenant, { codeDigest: string; at: number }[]>;
}

export type Presentations = ReturnType<typeof createPresentations>;

export function createPresentations(simulation: Simulation, state: StoredState) {
  const context: Context = {
    simulation,
    state,
    all: new Map(),
    open: new Set(),
    refreshed: new WeakMap(),
    inDoubt: new Set(),
    begun: new Map(),
  };
  return {
    /** The store has recorded that this code is about to be presented. */
    announce: (tenant: Tenant, codeDigest: string) => announce(context, tenant, codeDigest),
    begin: (next: Presentation) => begin(context, next),
    end: (presentation: Presentation, answer: Answer) => end(context, presentation, answer),
    /** When this process got the access token by its own refresh; undefined if it is in doubt. */
    refreshedAt: (process: SimulatedProcess, accessToken: string): number | undefined =>
      context.refreshed.get(process)?.get(accessToken),
    isInDoubt: (accessToken: string): boolean => context.inDoubt.has(accessToken),
    /** The process begins a transaction. */
    asksForTransaction(process: SimulatedProcess): void {
      for (const { record } of allOf(context, process)) askForRecord(simulation, record);
    },
    /** The process has stored that the tokens of this version were refreshed, or are dead. */
    recorded(process: SimulatedProcess, tenant: Tenant, version: string): void {
      for (const presentation of allOf(context, process)) {
        const isIts = presentation.tenant === tenant && presentation.version === version;
        if (isIts) endRecord(simulation, presentation.record);
      }
    },
    died: (process: SimulatedProcess) => endAllOf(context, process),
  };
}

function announce({ simulation, begun }: Context, tenant: Tenant, codeDigest: string): void {
  const at = simulation.scheduler.now();
  begun.set(tenant, [...(begun.get(tenant) ?? []), { codeDigest, at }]);
}

function begin(context: Context, next: Presentation): void {
  const { simulation, all, open } = context;
  const before = all.get(next.secret) ?? [];
  if (next.kind === 'code' && before.length > 0) {
    simulation.count('event: code presented again');
  }
  checkRepetition(context, next, before);
  checkCompany(context, next);
  all.set(next.secret, [...before, next]);
  open.add(next);
}

function checkRepetition(context: Context, next: Presentation, before: Presentation[]): void {
  const { violate, databaseClock } = context.simulation;
  const { secret, process } = next;
  // A database clock that is set ends leases early, so two processes may have one.
  const mayShare = databaseClock.steppedAt >= next.heldAt;
  for (const earlier of before) {
    if (earlier.heard !== 'a definitive answer') continue;
    const isItself = earlier.process === process;
    const mayRepeat = mayShare || !isUntroubled(context, earlier) || isRecordLate(earlier, next);
    if (isItself || !mayRepeat) {
      violate('nothing is presented again once an answer was read', secret);
    }
  }
  const unanswered = before.filter(({ heard }) => heard === 'nothing' || heard === 'nothing yet');
  if (unanswered.length >= maxPresentations && !isForgotten(context, next, before)) {
    violate('nothing is presented a third time without an answer', secret);
  }
}

/** The store counts the presentations of the newest code only. */
function isForgotten(
  { begun }: Context,
  { tenant, kind, secret }: Presentation,
  before: Presentation[],
): boolean {
  const since = Math.min(...before.map(({ heldAt }) => heldAt));
  const last = begun.get(tenant)?.findLast(({ codeDigest }) => codeDigest !== digestOf(secret));
  return kind === 'code' && last !== undefined && last.at >= since;
}

/** Compares a presentation with the others that are open for the same token set. */
function checkCompany(context: Context, next: Presentation): void {
  const { state, open } = context;
  for (const other of open) {
    if (other.tenant !== next.tenant || !isInCharge(context, other)) continue;
    if (other.version !== state.versionOf(next.tenant)) continue;
    if (next.kind === 'code') checkCode(context, next, other);
    else checkRefresh(context, next, other);
  }
}

function checkCode({ simulation }: Context, next: Presentation, other: Presentation): void {
  if (other.kind === 'refresh token') simulation.count('event: during a refresh');
  if (other.secret === next.secret) {
    simulation.violate('a code is exchanged by one process at a time', next.secret);
  }
}

function checkRefresh({ simulation }: Context, next: Presentation, other: Presentation): void {
  if (other.kind === 'refresh token') {
    simulation.violate('no two refreshes of one installation run at once', next.secret);
  } else if (other.heldAt < next.heldAt && next.heldAt < other.heldAt + exchangeMs) {
    const what = `${next.secret} during ${other.secret}`;
    simulation.violate('no refresh begins during an exchange', what);
  }
}

/** Nothing kept its process from writing the result to the database. */
function isUntroubled({ simulation }: Context, { process, heldAt }: Presentation): boolean {
  const troubledAt = Math.max(process.troubledAt, simulation.databaseClock.steppedAt);
  return process.isAlive && troubledAt < heldAt;
}

/** Its process still holds the lease, so no other process may act. */
function isInCharge(context: Context, presentation: Presentation): boolean {
  const now = context.simulation.scheduler.now();
  return isUntroubled(context, presentation) && now < presentation.heldAt + leaseMs;
}

function end(context: Context, presentation: Presentation, answer: Answer): void {
  const { simulation, all, open } = context;
  const { kind, secret, heldAt } = presentation;
  open.delete(presentation);
  presentation.heard = meaningOf(answer);
  presentation.record = answeredNow(simulation);
  const isLate = simulation.scheduler.now() > heldAt + leaseMs;
  if (isLate && presentation.heard === 'a definitive answer') {
    simulation.count('answer read after the lease');
  }
  if (presentation.heard === 'nothing' && kind === 'refresh token') {
    simulation.count('refresh: answer lost');
  }
  const body = typeof answer === 'object' && answer.status === 200 ? parse(answer.body) : {};
  presentation.brought = body.access_token;
  if (presentation.brought !== undefined) remember(context, presentation, presentation.brought);
  // The refresh token stays valid, so the next presentation of it is a first one.
  const isKept = body.access_token !== undefined && body.refresh_token === undefined;
  if (kind === 'refresh token' && isKept) all.delete(secret);
}

function remember(context: Context, presentation: Presentation, brought: string): void {
  const { simulation, all, inDoubt, refreshed } = context;
  const { secret, process, kind, isOnly } = presentation;
  const before = (all.get(secret) ?? []).filter((each) => each !== presentation);
  if (before.some(({ heard }) => mayArrive.has(heard))) {
    inDoubt.add(brought);
  } else if (kind === 'refresh token' && isOnly) {
    const own = refreshed.get(process) ?? new Map<string, number>();
    refreshed.set(process, own.set(brought, simulation.scheduler.now()));
  }
}

function allOf({ all }: Context, process: SimulatedProcess): Presentation[] {
  return [...all.values()].flat().filter((each) => each.process === process);
}

function endAllOf(context: Context, process: SimulatedProcess): void {
  const { simulation, state, open } = context;
  for (const presentation of allOf(context, process)) {
    const { kind, heard, brought } = presentation;
    if (heard === 'nothing yet' && kind === 'code') simulation.count('killed inside an exchange');
    if (brought !== undefined && !state.isStored(brought)) {
      simulation.count('killed between answer and commit');
    }
    if (heard === 'nothing yet') presentation.heard = 'nothing';
    open.delete(presentation);
  }
}

function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

function meaningOf(answer: Answer): Presentation['heard'] {
  if (answer === 'refused') return 'not sent';
  if (!answer) return 'nothing';
  if (answer.status === 504) return 'a gateway gave up';
  const { access_token, error } = parse(answer.body);
  const isRefused = [400, 401].includes(answer.status) && finalCodes.has(error);
  return access_token !== undefined || isRefused ? 'a definitive answer' : 'not now';
}

function parse(text: string): Record<string, string | undefined> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
