/** A store in memory with a clock that tests move, and the history of its token requests. */
import { createMemoryStore, type MemoryStores } from '../memory-store.ts';
import type { TokenHistory, TokenOperationEntry, TokenStore } from '../token-store.ts';

export type RecordedStores = MemoryStores & { events: TokenHistory };
export type RecordedStore = TokenStore<RecordedStores>;
export type MemoryDatabase = Awaited<ReturnType<typeof createMemoryDatabase>>;

export async function createMemoryDatabase(now: () => number = Date.now) {
  let aheadMs = 0;
  /** Newest first. */
  const operations: TokenOperationEntry[] = [];
  const memory = createMemoryStore({ now: () => now() + aheadMs });
  const events = recordIn(operations);
  const store: RecordedStore = {
    ...memory,
    events,
    async transaction(work) {
      const written: TokenOperationEntry[] = [];
      const recorded = { events: recordIn(written) };
      const result = await memory.transaction((stores) => work({ ...stores, ...recorded }));
      operations.unshift(...written);
      return result;
    },
  };

  return {
    store,
    /** As another process does: it has the same tokens. */
    open: async () => store,
    /** Newest first. */
    operationsOf: (installationId: string) =>
      operations.filter((each) => each.installationId === installationId),
    async shiftClock(ms: number): Promise<void> {
      aheadMs += ms;
    },
    async destroy(): Promise<void> {},
  };
}

function recordIn(operations: TokenOperationEntry[]): TokenHistory {
  return { recordTokenOperation: async (entry) => void operations.unshift(entry) };
}

/** What a store throws whose database is away. */
export function unavailable({ isUnwritten = false } = {}): Error {
  const error = new Error('The database is away');
  return Object.assign(error, { code: 'DATABASE_UNAVAILABLE', isUnwritten });
}
