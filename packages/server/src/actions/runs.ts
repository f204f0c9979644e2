/**
 * Runs: one action on many installations, with progress and a stop. Each action has one run at a time. Runs are stored,
 * so each process can show and stop them; if the process that works on a run ends, another one continues it. A run works on few installations at once,
 * and its requests wait like all others (docs/decisions/0035-fair-places.md).
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type ActionRefusalReason,
  type AuditEntry,
  isRoleEnough,
  type OperatorRole,
  type Run,
  type RunAction,
} from '@dowel/admin-api';
import {
  type AuditEnding,
  type ClaimedRun,
  type RunProgress,
  recordAction,
} from '@dowel/installation-store';
import type { Log } from '../log/log.ts';
import type { ActionContext, Actor } from './action-context.ts';
import { assertRole } from './assert-role.ts';
import { failureOf } from './failure-of.ts';
import { type ActionOutcome, performAction } from './perform-action.ts';

/** A sixth of the places at one base URL (decision 35): a run over tenants of one host leaves the others theirs. */
const atOnce = 16;
/** The role that may start or stop a run. */
const neededRole: OperatorRole = 'operator';
/** The pause after each step keeps the database free for other work. */
const pauseMs = 10;
/** More actions than processes that were killed one after the other can leave without a report. */
const maxUnreported = 1_000;
/** Longer than a step takes, so that a process that only waits for a platform keeps its run. */
const leaseMs = 60_000;

export interface RunsContext extends ActionContext {
  logger: Pick<Log, 'error'>;
  /** Aborted when the process stops: then its runs are released for other processes. */
  closing: AbortSignal;
  /** Work of this process on runs. */
  working: Set<Promise<void>>;
}

export interface NewRun {
  action: RunAction;
  reason: string;
  /** The revision of the account that starts the run. The run stops when the account changes or is removed. */
  accountRevision: string | null;
  /** Called only for operators who may start a run. */
  listIds: () => Promise<readonly string[]>;
}

/**
 * Starts a run. Undefined: one of the same action is under way.
 *
 * @throws ApiError `ROLE_MISSING`, with a row in the audit; what the store throws: without a row in the audit nothing
 * starts.
 */
export async function startRun(
  context: RunsContext,
  actor: Actor,
  { action, reason, accountRevision, listIds }: NewRun,
): Promise<Run | undefined> {
  const { store } = context;
  const ids = isRoleEnough(actor.role, neededRole) ? [...new Set(await listIds())] : undefined;
  const run = { id: randomUUID(), action, reason };
  const isBegun = await recordAction(store.audit, {
    entry: { ...rowOf(actor, run), action: 'start-run', reason },
    async act() {
      assertRole(actor, neededRole);
      return store.runs.begin({ ...run, actor, accountRevision, ids: ids ?? [] });
    },
    endingOf: (begun) => (begun ? startedOf(ids?.length ?? 0) : underWay),
    failureOf,
  });
  if (!isBegun) return undefined;
  await workOnNext(context, run.id);
  return store.runs.find(run.id);
}

/**
 * Asks a run to stop: installations under way are finished, no other begins. False: no such run is under way.
 *
 * @throws ApiError `ROLE_MISSING`, with a row in the audit.
 */
export async function stopRun(
  { store }: Pick<RunsContext, 'store'>,
  actor: Actor,
  id: string,
): Promise<boolean> {
  const run = await store.runs.find(id);
  if (!run) return false;
  return recordAction(store.audit, {
    entry: { ...rowOf(actor, run), action: 'stop-run' },
    async act() {
      assertRole(actor, neededRole);
      return store.runs.requestStop(id);
    },
    endingOf: (asked) => (asked ? done : overBefore),
    failureOf,
  });
}

const done: AuditEnding = { result: 'done', detail: null };
const underWay: AuditEnding = {
  result: 'refused',
  detail: 'One is under way.',
  meaning: { kind: 'run_under_way' },
};
const overBefore: AuditEnding = {
  result: 'unchanged',
  detail: 'It had already ended or was stopping.',
  meaning: { kind: 'run_over' },
};

function startedOf(count: number): AuditEnding {
  const meaning = { kind: 'run_started', count } as const;
  return { result: 'done', detail: `It covers ${count} installations.`, meaning };
}

function rowOf(actor: Actor, { id, action }: Pick<Run, 'id' | 'action'>) {
  return { ...actor, target: action, runId: id };
}

/** Abort `closing` first. Resolves when this process no longer works on a run. */
export async function drainRuns({ working }: Pick<RunsContext, 'working'>): Promise<void> {
  await Promise.all(working);
}

/**
 * Works on a run that no process works on, such as one whose process has ended. Call it every few seconds, in every
 * process.
 *
 * @param id only this run. @throws what the store throws.
 */
export async function workOnNext(context: RunsContext, id?: string): Promise<void> {
  const { store, working, closing, logger } = context;
  if (closing.aborted) return;
  const claimed = await store.runs.claim(leaseMs, id);
  if (!claimed) return;
  const work = workOn(context, claimed)
    .catch((err: unknown) => logger.error({ err, runId: claimed.id }, 'run.failed'))
    .finally(() => working.delete(work));
  working.add(work);
}

/** Writes nothing more if another process has claimed the run meanwhile. */
async function workOn(context: RunsContext, claimed: ClaimedRun): Promise<void> {
  const { store, closing } = context;
  const { id, claim } = claimed;
  const completed = await findCompleted(context, id);
  let progress = progressOf(claimed);
  let state = await store.runs.report({ id, claim }, progress, leaseMs);
  while (state === 'running' && !closing.aborted) {
    const ids = await store.runs.listIds(id, progress.position, atOnce);
    if (ids.length === 0) break;
    const results = ids.map(async (each) => completed.get(each) ?? act(context, claimed, each));
    progress = add(progress, await Promise.all(results));
    // A requested stop is noticed here.
    state = await store.runs.report({ id, claim }, progress, leaseMs);
    await pause(pauseMs);
  }
  const isLeft = state === 'running' && progress.position < claimed.total && closing.aborted;
  if (isLeft) await store.runs.report({ id, claim }, progress, 0);
  else await store.runs.end({ id, claim }, progress);
}

function progressOf(run: ClaimedRun): RunProgress {
  const { position, done, unchanged, refused, failed, refusals } = run;
  return { position, done, unchanged, refused, failed, refusals };
}

interface Result {
  outcome: 'done' | 'unchanged' | 'refused' | 'failed';
  refusal?: ActionRefusalReason;
}

/**
 * The newest results of a run, by installation, as the audit has them: a process that was killed has not reported its
 * last ones, and they are not repeated. An action without a result is: nobody knows whether it was done.
 */
async function findCompleted(
  { store }: RunsContext,
  runId: string,
): Promise<ReadonlyMap<string, Result>> {
  const { entries } = await store.audit.list({ runId, limit: maxUnreported });
  return new Map(
    entries.flatMap(({ installationId, result, meaning }) =>
      installationId === null || result === 'begun'
        ? []
        : [[installationId, toResult(result, meaning)]],
    ),
  );
}

function toResult(outcome: Result['outcome'], meaning: AuditEntry['meaning']): Result {
  return meaning?.kind === 'refusal' ? { outcome, refusal: meaning.refusal } : { outcome };
}

/** An action that throws has failed; its error is logged. */
async function act(
  context: RunsContext,
  { id: runId, action, reason, actor }: ClaimedRun,
  installationId: string,
): Promise<Result> {
  try {
    const call = { action, installationId, request: { reason }, runId };
    return resultOf(await performAction(context, actor, call));
  } catch (err) {
    context.logger.error({ err, installationId }, 'run.action_failed');
    return { outcome: 'failed' };
  }
}

function add(before: RunProgress, results: readonly Result[]): RunProgress {
  const progress = { ...before, refusals: { ...before.refusals } };
  for (const { outcome, refusal } of results) {
    progress.position += 1;
    progress[outcome] += 1;
    if (refusal) progress.refusals[refusal] = (progress.refusals[refusal] ?? 0) + 1;
  }
  return progress;
}

function resultOf(outcome: ActionOutcome): Result {
  if (!('code' in outcome)) return { outcome: outcome.outcome };
  if (outcome.code === 'ACTION_FAILED') return { outcome: 'failed' };
  return { outcome: 'refused', refusal: outcome.refusal };
}
