/**
 * Stores refreshed tokens. If the database is unavailable, keeps them in memory and retries the write. They are not
 * used while their installation is paused, or may be.
 */
import { pause } from '@dowel/http';
import { watchChanges } from './change-watches.ts';
import { runInBackground, type TokenContext } from './context.ts';
import type { ChangeCount } from './grant-cache.ts';
import { observeChange, recordRecovery } from './record-recovery.ts';
import type {
  Grant,
  GrantStore,
  Lease,
  RecoveredChange,
  TokenSet,
  TokenStores,
} from './token-store.ts';

/** Short: when the database is back, these tokens must be stored before another process takes the lease. */
const pauseMs = { first: 100, max: 200 };

/** A refresh whose answer was read. */
interface Refreshed {
  grant: Grant;
  lease: Pick<Lease, 'unanswered'>;
  tokens: TokenSet;
  startedAt: number;
  /** Counts the changes since before the lease was requested. */
  heard: Pick<ChangeCount, 'changes'>;
}

type Stored = Pick<Grant, 'isInDoubt' | 'isPaused'>;

/** Resolves with the tokens to use: these, or newer ones that were stored first. */
export async function saveRefresh(context: TokenContext, answered: Refreshed): Promise<Grant> {
  const { cache, observe, now } = context;
  const { grant, lease, tokens, startedAt, heard } = answered;
  const { installationId } = grant;
  // The lease was granted to an installation that was not paused. A change since then may be a pause.
  const mayBePaused = heard.changes > 0;
  const tokenVersion = grant.tokenVersion + 1;
  const refreshed = { ...grant, ...tokens, tokenVersion };
  const count = cache.countChanges(installationId);
  try {
    const stored = await write(context, answered);
    if (stored) {
      observe({ type: 'refreshed', installationId, tokenVersion, durationMs: now() - startedAt });
      // The first counted change is this write itself.
      const { isInDoubt, isPaused } = stored;
      if (count.changes <= 1) return cache.put({ ...refreshed, isInDoubt, isPaused });
    }
  } catch {
    observe({ type: 'unsaved', installationId, tokenVersion });
    const isInDoubt = lease.unanswered > 0;
    const unsaved = { ...refreshed, isInDoubt, isPaused: mayBePaused };
    const kept = cache.put(unsaved, true);
    runInBackground(context, saveLater(context, answered));
    if (heard.changes === 0) return kept;
    await cache.recheckUnsaved(installationId);
    return cache.read(installationId);
  } finally {
    count.stop();
  }
  return cache.reload(installationId);
}

/** The stored token set; undefined if a newer one was stored first, which is kept. */
async function write(
  context: TokenContext,
  { grant, tokens, startedAt }: Refreshed,
): Promise<Stored | undefined> {
  const { store, now } = context;
  const { installationId } = grant;
  let recovery: RecoveredChange | undefined;
  const save = async (stores: TokenStores) => {
    recovery = undefined;
    const { grants, events } = stores;
    const stored = await grants.commitRefresh(grant, tokens);
    const storedBefore = stored ? undefined : await findStored(grants, grant, tokens);
    if (storedBefore) return storedBefore;
    const isStored = stored !== undefined;
    if (isStored) recovery = await recordRecovery(context, stores, installationId);
    await events?.recordTokenOperation({
      installationId,
      operation: 'refresh',
      startedAt,
      durationMs: now() - startedAt,
      succeeded: isStored,
      tokenVersion: isStored ? grant.tokenVersion + 1 : null,
      reason: isStored ? null : 'superseded',
    });
    return stored;
  };
  const saved = await store.transaction(save, { isUrgent: true });
  observeChange(context, recovery);
  return saved;
}

/** The commit may have succeeded even if the connection ended before the answer. */
async function findStored(
  grants: GrantStore,
  { installationId, generation, tokenVersion }: Grant,
  { accessToken }: TokenSet,
): Promise<Stored | undefined> {
  // This process did not write a token set that does not decrypt.
  const stored = await grants.load(installationId).catch(() => undefined);
  const isIt =
    stored?.generation === generation &&
    stored.tokenVersion === tokenVersion + 1 &&
    stored.accessToken.reveal() === accessToken.reveal();
  return isIt ? stored : undefined;
}

async function saveLater(context: TokenContext, answered: Refreshed): Promise<void> {
  const { cache, observe } = context;
  const { installationId } = answered.grant;
  const tokenVersion = answered.grant.tokenVersion + 1;
  const save = () => write(context, answered);
  const failed = () => cache.recheckUnsaved(installationId);
  const retry = { installationId, isTemporary: () => true, failed };
  const isStored = (await retryUntilStored(context, save, retry)) !== undefined;
  cache.settle(installationId);
  if (isStored) observe({ type: 'saved', installationId, tokenVersion });
}

interface Retry {
  installationId: string;
  isTemporary: (error: unknown) => boolean;
  /** Called after each failure. Must not reject. */
  failed?: () => Promise<void>;
}

/**
 * Runs `write` until it succeeds, the client is closed, or an error is not `isTemporary`. A change of the installation
 * ends the pause between two tries: after an uninstall or an operator's pause its tokens must not be used.
 */
export async function retryUntilStored<Result>(
  context: TokenContext,
  write: () => Promise<Result>,
  { installationId, isTemporary, failed }: Retry,
): Promise<Result> {
  const { timer, closing } = context;
  for (let pauseFor = pauseMs.first; ; pauseFor = Math.min(pauseFor * 2, pauseMs.max)) {
    try {
      return await write();
    } catch (error) {
      // After the write: one that fails at its commit announces its own change, which must not end the pause.
      const watch = watchChanges(context, installationId);
      await failed?.();
      const isOver = closing.signal.aborted || !isTemporary(error);
      // The end of the client wakes it, too.
      if (!isOver) await pause(timer, pauseFor, watch.signal);
      watch.stop();
      if (isOver) throw error;
    }
  }
}

/**
 * Stores the token sets in memory again of installations whose changes the database has lost. Returns how many were
 * stored: nothing is, if the stored token set is not older.
 *
 * @throws what the store throws; then it is to be called again
 */
export async function restoreTokens(
  context: TokenContext,
  installationIds: readonly string[],
): Promise<number> {
  const { cache, store } = context;
  const restoring = installationIds.map(async (id) => {
    const grant = cache.peek(id);
    if (!grant) return false;
    const refreshed = { ...grant, tokenVersion: grant.tokenVersion - 1 };
    const stored = await store.transaction(({ grants }) => grants.commitRefresh(refreshed, grant));
    return stored !== undefined;
  });
  const restored = await Promise.all(restoring);
  return restored.filter(Boolean).length;
}
