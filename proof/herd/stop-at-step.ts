/** Stops the process in the middle of a refresh, from outside the product: around its store and its transport. */
import type { Store, Stores } from '@dowel/installation-store';

export const steps = [
  'before lease',
  'after lease',
  'before send',
  'after spent',
  'before commit',
  'inside commit',
  'after commit',
] as const;

export type Step = (typeof steps)[number];

export interface Surroundings {
  store: Store;
  tokenFetch: typeof fetch;
}

/** @param reached awaited at every step of a refresh. */
export function watchSteps(
  { store, tokenFetch }: Surroundings,
  reached: (step: Step) => Promise<void>,
): Surroundings {
  /** An answer was read whose tokens are not stored yet. */
  let holdsAnswer = false;

  const acquire: Store['renewals']['acquire'] = async (...request) => {
    await reached('before lease');
    const lease = await store.renewals.acquire(...request);
    if (lease.outcome === 'acquired') await reached('after lease');
    return lease;
  };

  async function transaction<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result> {
    if (!holdsAnswer) return store.transaction(work);
    holdsAnswer = false;
    await reached('before commit');
    const result = await store.transaction(async (stores) => {
      const written = await work(stores);
      await reached('inside commit');
      return written;
    });
    await reached('after commit');
    return result;
  }

  return {
    store: { ...store, renewals: { ...store.renewals, acquire }, transaction },

    async tokenFetch(input, init) {
      if (!isRefresh(input)) return tokenFetch(input, init);
      await reached('before send');
      const response = await tokenFetch(input, init);
      await reached('after spent');
      holdsAnswer = response.ok;
      return response;
    },
  };
}

/** Reads the query, because the default profile puts the parameters there. */
function isRefresh(input: Parameters<typeof fetch>[0]): boolean {
  const url = input instanceof Request ? input.url : input;
  return new URL(url).searchParams.get('grant_type') === 'refresh_token';
}
