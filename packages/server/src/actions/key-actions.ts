/** What operators do about the encryption keys. Each action has a row in the audit, also when it is refused. */
import { randomUUID } from 'node:crypto';
import { type AuditEnding, recordAction } from '@dowel/installation-store';
import type { Run } from '@dowel/schema';
import { ApiError } from '../errors.ts';
import type { Actor } from './action-context.ts';
import { assertRole } from './assert-role.ts';
import { failureOf } from './failure-of.ts';
import { RefusedActionError } from './refused-action-error.ts';
import { roleOfRun } from './run-policy.ts';
import { type RunsContext, underWay, workOnNext } from './runs.ts';

const neededRole = roleOfRun('reencrypt');

export interface KeyActionsContext extends RunsContext {
  /** Puts a new key first in the key file. Undefined: processes on other machines would lack it. */
  rotateKey: (() => Promise<string>) | undefined;
}

export interface KeyAction {
  reason: string;
  /** As in a run of actions: the run stops when the account changes or is removed. */
  accountRevision: string | null;
}

/**
 * Makes a new key, which seals from then on, and starts the run that seals all values with it.
 *
 * @throws ApiError `ROLE_MISSING`, `KEY_FILE_ELSEWHERE`, `RUN_UNDER_WAY`, `VALUES_BEING_COUNTED`; StoreError
 * `KEY_UNUSABLE` for a key file that cannot be written. Then nothing has changed.
 */
export async function rotateKey(
  context: KeyActionsContext,
  actor: Actor,
  requested: KeyAction,
): Promise<Run> {
  await recordAction(context.store.audit, {
    entry: { ...actor, action: 'rotate-keys', reason: requested.reason },
    async act() {
      assertRole(actor, neededRole);
      if (!context.rotateKey) throw elsewhere();
      if (await isUnderWay(context)) throw runUnderWay();
      await countOldValues(context);
      return context.rotateKey();
    },
    endingOf: (keyId) => ({
      result: 'done',
      detail: `Key ${keyId} seals from now on.`,
      meaning: { kind: 'key_active', keyId },
    }),
    failureOf,
  });
  return startReencryption(context, actor, requested);
}

/** @throws ApiError `ROLE_MISSING`, `RUN_UNDER_WAY`, `VALUES_BEING_COUNTED` */
export async function startReencryption(
  context: RunsContext,
  actor: Actor,
  { reason, accountRevision }: KeyAction,
): Promise<Run> {
  const { store } = context;
  const run = { id: randomUUID(), action: 'reencrypt', reason } as const;
  const begun = await recordAction(store.audit, {
    entry: { ...actor, action: 'start-run', target: run.action, reason, runId: run.id },
    async act() {
      assertRole(actor, neededRole);
      const total = await countOldValues(context);
      const isBegun = await store.runs.begin({ ...run, actor, accountRevision, ids: [], total });
      return isBegun ? { total } : undefined;
    },
    endingOf: (started) => (started ? startedOf(started.total) : underWay),
    failureOf,
  });
  if (!begun) throw runUnderWay();
  await workOnNext(context, run.id);
  const started = await store.runs.find(run.id);
  if (!started) throw new Error('The run that was begun is gone');
  return started;
}

function startedOf(count: number): AuditEnding {
  const meaning = { kind: 'resealing', count } as const;
  return { result: 'done', detail: `It seals ${count} values.`, meaning };
}

async function isUnderWay({ store }: RunsContext): Promise<boolean> {
  const runs = await store.runs.list();
  return runs.some(({ action, endedAt }) => action === 'reencrypt' && endedAt === null);
}

/** Returns the number of values that the dashboard's page shows. */
async function countOldValues({ store }: RunsContext): Promise<number> {
  const { keys } = await store.describeKeys();
  const old = keys.filter(({ state }) => state === 'old');
  const active = keys.filter(({ state }) => state === 'active');
  if ([...active, ...old].some(({ values }) => values === null)) throw stillCounting();
  return old.reduce((sum, { values }) => sum + (values ?? 0), 0);
}

function runUnderWay(): ApiError {
  const message = 'Values are being sealed with a new key already. Wait for the end, or stop it.';
  return new RefusedActionError('RUN_UNDER_WAY', message, { kind: 'run_under_way' });
}

function stillCounting(): ApiError {
  const message = 'The stored values are being counted for the first time. Try again in a moment.';
  return new ApiError('VALUES_BEING_COUNTED', message, { headers: { 'retry-after': '5' } });
}

function elsewhere(): ApiError {
  const message =
    'Processes on other machines need a new key before it seals anything. Run "dowel keys rotate" where Dowel runs, and copy the key file to each machine.';
  return new RefusedActionError('KEY_FILE_ELSEWHERE', message, { kind: 'key_file_elsewhere' });
}
