/**
 * The run that seals all stored values with the newest encryption key. It keeps no position: values that already have
 * the newest key are skipped, so any process can continue the run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AuditEnding,
  type ClaimedRun,
  failedEnding,
  recordAction,
  type Store,
  StoreError,
} from '@dowel/installation-store';
import type { Log } from '../log/log.ts';
import { leaseMs, pauseMs, reportMs } from './run-policy.ts';

type Reencryption = Omit<ClaimedRun, 'action'>;
type Outcome = Awaited<ReturnType<Store['reencrypt']>>;

interface ReencryptionContext {
  store: Pick<Store, 'audit' | 'reencrypt' | 'runs'>;
  logger: Pick<Log, 'error'>;
  /** Aborted when the process stops: then the run is given back. */
  closing: AbortSignal;
}

/** Each process that works on it has a row in the audit. */
export async function workOnReencryption(
  context: ReencryptionContext,
  claimed: Reencryption,
): Promise<void> {
  const { store, logger } = context;
  const { actor, reason, id: runId } = claimed;
  const state = await store.runs.report(claimed, progressOf(claimed, 0), leaseMs);
  if (state === 'stopping') await store.runs.end(claimed, progressOf(claimed, 0));
  if (state !== 'running') return;
  let sealed = 0;
  const onSealed = (count: number) => {
    sealed = count;
  };
  try {
    const outcome = await recordAction(store.audit, {
      entry: { ...actor, action: 'reencrypt', reason, runId },
      act: () => reseal(context, claimed, onSealed),
      endingOf: resealed,
      failureOf,
    });
    await settle(context, claimed, outcome);
  } catch (err) {
    // Another process would read the same key file and fail too, so the run ends here.
    if (!isSealedByOthers(err)) throw err;
    logger.error({ err, runId }, 'run.failed');
    const progress = progressOf(claimed, sealed);
    // The total must stay above the position: values are left.
    await store.runs.end(claimed, {
      ...progress,
      total: Math.max(progress.total, progress.position + 1),
    });
  }
}

/** Ends early if the process stops, if an operator stops the run, or if another process has claimed it. */
function reseal(
  { store, closing }: ReencryptionContext,
  claimed: Reencryption,
  onSealed: (count: number) => void,
): Promise<Outcome> {
  const stopped = new AbortController();
  let sealed = 0;
  let reportedAt = performance.now();
  return store.reencrypt({
    total: claimed.total - claimed.done,
    signal: AbortSignal.any([closing, stopped.signal]),
    async onProgress({ resealed: count }) {
      if (count > sealed) await pause(pauseMs);
      else if (performance.now() - reportedAt < reportMs) return;
      sealed = count;
      onSealed(count);
      const state = await store.runs.report(claimed, progressOf(claimed, count), leaseMs);
      reportedAt = performance.now();
      if (state !== 'running') stopped.abort();
    },
  });
}

async function settle(
  { store, closing }: ReencryptionContext,
  claimed: Reencryption,
  { resealed: count, unreadable, isWhole }: Outcome,
): Promise<void> {
  const progress = progressOf(claimed, count);
  if (!isWhole && closing.aborted) await store.runs.report(claimed, progress, 0);
  else if (!isWhole) await store.runs.end(claimed, progress);
  else {
    const failed = unreadable.length;
    await store.runs.end(claimed, { ...progress, failed, total: progress.position });
  }
}

/** @param count the values that this process has sealed. A writer may have added some with the old key. */
function progressOf(
  { total, done, unchanged, refused, failed, refusals }: Reencryption,
  count: number,
) {
  const sealed = done + count;
  return {
    position: sealed,
    done: sealed,
    unchanged,
    refused,
    failed,
    refusals,
    total: Math.max(total, sealed),
  };
}

function resealed({ resealed: count, activeKeyId: keyId, isWhole }: Outcome): AuditEnding {
  const kind = isWhole ? 'resealed' : 'resealed_part';
  const detail = `Sealed ${count} values with key ${keyId}${isWhole ? '' : ', then stopped'}.`;
  return { result: 'done', detail, meaning: { kind, count, keyId } };
}

/** Of the errors of a re-encryption, only this one has the code. */
function isSealedByOthers(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === 'KEY_UNUSABLE';
}

function failureOf(error: unknown): AuditEnding {
  if (!isSealedByOthers(error)) return failedEnding;
  return { result: 'failed', detail: error.message, meaning: { kind: 'sealed_by_others' } };
}
