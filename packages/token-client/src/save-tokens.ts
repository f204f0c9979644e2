/**
 * Tokens that were received are worth more than the database's mood: they are kept in memory, and
 * written as soon as it takes them.
 */
import type { Grant, GrantStore, TokenSet } from '@dowel/installation-store';
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

  /** A refresh that was overtaken by a newer token set drops its own. */
  async function write(grant: Grant, tokens: TokenSet, startedAt: number): Promise<boolean> {
    const { installationId } = grant;
    return store.transaction(async ({ grants, events }) => {
      const isStored = await grants.commitRefresh(grant, tokens);
      if (!isStored && (await isStoredBefore(grants, grant, tokens))) return true;
      await events.recordTokenOperation({
        installationId,
        operation: 'refresh',
        startedAt,
        durationMs: now() - startedAt,
        succeeded: isStored,
        tokenVersion: isStored ? grant.tokenVersion + 1 : null,
        reason: isStored ? null : 'superseded',
      });
      return isStored;
    });
  }

  /** The commit may hold though its connection was cut, and nobody was told. */
  async function isStoredBefore(
    grants: GrantStore,
    { installationId, generation, tokenVersion }: Grant,
    { accessToken }: TokenSet,
  ): Promise<boolean> {
    // What does not decrypt is not what was written here.
    const stored = await grants.load(installationId).catch(() => undefined);
    return (
      stored?.generation === generation &&
      stored.tokenVersion === tokenVersion + 1 &&
      stored.accessToken.reveal() === accessToken.reveal()
    );
  }

  async function saveLater(
    save: () => Promise<boolean>,
    { installationId, tokenVersion }: Grant,
  ): Promise<void> {
    const isStored = await insist(context, save, () => true);
    cache.settle(installationId, isStored);
    if (isStored) observe({ type: 'saved', installationId, tokenVersion });
  }

  /** Resolves with the tokens to use: these, or the newer ones that overtook them. */
  return async (grant: Grant, tokens: TokenSet, startedAt: number): Promise<Grant> => {
    const { installationId } = grant;
    const tokenVersion = grant.tokenVersion + 1;
    const refreshed = { ...grant, ...tokens, tokenVersion };
    const save = () => write(grant, tokens, startedAt);
    try {
      if (await save()) {
        observe({ type: 'refreshed', installationId, tokenVersion, durationMs: now() - startedAt });
        return cache.put(refreshed);
      }
    } catch {
      observe({ type: 'unsaved', installationId, tokenVersion });
      inBackground(saveLater(save, refreshed));
      return cache.put(refreshed, true);
    }
    return cache.readAnew(installationId);
  };
}
