/**
 * Tokens that were received are worth more than the database's mood: they are kept in memory, and
 * written as soon as it takes them.
 */
import type { Grant, GrantStore, Lease, TokenSet } from '@dowel/installation-store';
import type { TokenContext } from './context.ts';
import { pause } from './timer.ts';

const pauseMs = { first: 100, max: 5_000 };

/** Runs `write` until it succeeds, the client is closed, or `isPassing` says that it never will. */
export async function insist<Result>(
  { timer, closing }: TokenContext,
  write: () => Promise<Result>,
  isPassing: (error: unknown) => boolean,
): Promise<Result> {
  for (let pauseFor = pauseMs.first; ; pauseFor = Math.min(pauseFor * 2, pauseMs.max)) {
    try {
      return await write();
    } catch (error) {
      if (closing.aborted || !isPassing(error)) throw error;
    }
    await pause(timer, pauseFor, closing);
  }
}

export function createSaveRefresh(
  context: TokenContext,
  inBackground: (work: Promise<unknown>) => void,
) {
  const { store, cache, now, observe } = context;

  /** What was stored; undefined: a newer token set overtook the refresh, and stays. */
  async function write({ grant, tokens, startedAt }: Refreshed): Promise<Stored | undefined> {
    const { installationId } = grant;
    return store.transaction(async ({ grants, events }) => {
      const stored = await grants.commitRefresh(grant, tokens);
      const storedBefore = stored ? undefined : await findStored(grants, grant, tokens);
      if (storedBefore) return storedBefore;
      const isStored = stored !== undefined;
      await events.recordTokenOperation({
        installationId,
        operation: 'refresh',
        startedAt,
        durationMs: now() - startedAt,
        succeeded: isStored,
        tokenVersion: isStored ? grant.tokenVersion + 1 : null,
        reason: isStored ? null : 'superseded',
      });
      return stored;
    });
  }

  /** The commit may hold though its connection was cut, and nobody was told. */
  async function findStored(
    grants: GrantStore,
    { installationId, generation, tokenVersion }: Grant,
    { accessToken }: TokenSet,
  ): Promise<Stored | undefined> {
    // What does not decrypt is not what was written here.
    const stored = await grants.load(installationId).catch(() => undefined);
    const isIt =
      stored?.generation === generation &&
      stored.tokenVersion === tokenVersion + 1 &&
      stored.accessToken.reveal() === accessToken.reveal();
    return isIt ? stored : undefined;
  }

  async function saveLater(
    save: () => Promise<Stored | undefined>,
    { installationId, tokenVersion }: Grant,
  ): Promise<void> {
    const isStored = (await insist(context, save, () => true)) !== undefined;
    cache.settle(installationId, isStored);
    if (isStored) observe({ type: 'saved', installationId, tokenVersion });
  }

  /** Resolves with the tokens to use: these, or the newer ones that overtook them. */
  return async (answered: Refreshed): Promise<Grant> => {
    const { grant, lease, tokens, startedAt } = answered;
    const { installationId } = grant;
    const tokenVersion = grant.tokenVersion + 1;
    const refreshed = { ...grant, ...tokens, tokenVersion };
    const save = () => write(answered);
    try {
      const stored = await save();
      if (stored) {
        observe({ type: 'refreshed', installationId, tokenVersion, durationMs: now() - startedAt });
        return cache.put({ ...refreshed, isInDoubt: stored.isInDoubt });
      }
    } catch {
      observe({ type: 'unsaved', installationId, tokenVersion });
      inBackground(saveLater(save, refreshed));
      return cache.put({ ...refreshed, isInDoubt: lease.unanswered > 0 }, true);
    }
    return cache.readAnew(installationId);
  };
}

/** A refresh whose answer was read. */
interface Refreshed {
  grant: Grant;
  lease: Pick<Lease, 'unanswered'>;
  tokens: TokenSet;
  startedAt: number;
}

type Stored = Pick<Grant, 'isInDoubt'>;

export type SaveRefresh = ReturnType<typeof createSaveRefresh>;
