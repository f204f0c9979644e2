/**
 * One action on many installations: with progress and a stop, one run of each action at a time in a process. Few
 * installations are worked on at once, and each request waits for its fair place as every other does, so a run
 * overtakes nobody (docs/decisions/0035-fair-places.md).
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ActionRefusalReason, Run, RunAction } from '@dowel/schema';
import type { Log } from '../log/log.ts';
import type { ActionContext, Actor } from './action-context.ts';
import { type ActionOutcome, performAction } from './perform-action.ts';

/** Less than the first places of one installation at its platform, so that its calls find some. */
const atOnce = 2;
/** After each installation, so that a run of many does not keep the database busy. */
const pauseMs = 10;
const keptMs = 24 * 60 * 60 * 1000;
const maxListed = 50;

export interface RunsContext extends ActionContext {
  logger: Pick<Log, 'error'>;
  /** Aborted when the process stops: then runs stop. */
  closing: AbortSignal;
  runs: Map<string, ActiveRun>;
}

interface ActiveRun {
  run: Run;
  actor: Actor;
  waiting: string[];
}

export interface NewRun {
  action: RunAction;
  reason: string;
  ids: readonly string[];
}

/**
 * Starts a run. Undefined: one of the same action is under way in this process.
 *
 * @throws what the store throws: without a row in the audit nothing starts.
 */
export async function startRun(
  context: RunsContext,
  actor: Actor,
  { action, reason, ids }: NewRun,
): Promise<Run | undefined> {
  const { runs, now } = context;
  forgetOldRuns(context);
  const isBusy = [...runs.values()].some(
    ({ run }) => run.action === action && run.endedAt === null,
  );
  if (isBusy) return undefined;
  const waiting = [...new Set(ids)];
  const run: Run = {
    id: randomUUID(),
    action,
    reason,
    who: actor.who,
    state: 'running',
    startedAt: now(),
    endedAt: null,
    total: waiting.length,
    done: 0,
    unchanged: 0,
    refused: 0,
    failed: 0,
    refusals: {},
  };
  const active: ActiveRun = { run, actor, waiting };
  // Before the audit, so that no other request starts the same.
  runs.set(run.id, active);
  await recordRun(context, { actor, run, action: 'start-run', reason }).catch((error: unknown) => {
    runs.delete(run.id);
    throw error;
  });
  void work(context, active);
  return run;
}

/** The installations under way are finished, no other begins. False: there is no such run under way. */
export async function stopRun(context: RunsContext, actor: Actor, id: string): Promise<boolean> {
  const active = context.runs.get(id);
  if (active?.run.state !== 'running') return false;
  active.run.state = 'stopping';
  await recordRun(context, { actor, run: active.run, action: 'stop-run', reason: null });
  return true;
}

/** The runs of this process, the newest first. */
export function listRuns({ runs }: Pick<RunsContext, 'runs'>): Run[] {
  return [...runs.values()]
    .map(({ run }) => run)
    .toReversed()
    .slice(0, maxListed);
}

interface RunDeed {
  actor: Actor;
  run: Run;
  action: 'start-run' | 'stop-run';
  reason: string | null;
}

async function recordRun(
  { store }: ActionContext,
  { actor, run, action, reason }: RunDeed,
): Promise<void> {
  const target = `${run.action}: ${run.total} installations`;
  const entry = { ...actor, action, installationId: null, target, reason, runId: run.id };
  const auditId = await store.audit.begin(entry);
  await store.audit.end(auditId, { result: 'done', detail: null });
}

async function work(context: RunsContext, active: ActiveRun): Promise<void> {
  await Promise.all(Array.from({ length: atOnce }, () => workOne(context, active)));
  const { run, waiting } = active;
  run.state = waiting.length === 0 ? 'done' : 'stopped';
  run.endedAt = context.now();
}

async function workOne(context: RunsContext, active: ActiveRun): Promise<void> {
  const { run, actor, waiting } = active;
  const { action, reason, id: runId } = run;
  while (run.state === 'running' && !context.closing.aborted) {
    const installationId = waiting.shift();
    if (installationId === undefined) return;
    try {
      const call = { action, installationId, request: { reason }, runId };
      count(run, await performAction(context, actor, call));
    } catch (err) {
      run.failed += 1;
      context.logger.error({ err, installationId }, 'run.action_failed');
    }
    await pause(pauseMs);
  }
}

function count(run: Run, outcome: ActionOutcome): void {
  if (!('code' in outcome)) run[outcome.outcome] += 1;
  else if (outcome.code === 'ACTION_FAILED') run.failed += 1;
  else {
    const { refusal }: { refusal: ActionRefusalReason } = outcome;
    run.refused += 1;
    run.refusals[refusal] = (run.refusals[refusal] ?? 0) + 1;
  }
}

function forgetOldRuns({ runs, now }: RunsContext): void {
  for (const [id, { run }] of runs) {
    if (run.endedAt !== null && run.endedAt < now() - keptMs) runs.delete(id);
  }
}
