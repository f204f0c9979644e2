import type { HookStore } from '../hook-store.ts';
import { claimHooks, findDueInMs } from './hook-claims.ts';
import { settleHook } from './hook-settling.ts';
import { appendHook } from './outbox.ts';
import { dropHook, listParked, replayHook } from './parked-hooks.ts';
import type { StoreContext } from './store-context.ts';

/** The outbox of one database. Its methods throw what the database throws. */
export function createHookStore(context: Omit<StoreContext, 'keyring'>): HookStore {
  return {
    append: (entry) => appendHook(context, entry),
    findDueInMs: (except) => findDueInMs(context, except),
    claim: (claim) => claimHooks(context, claim),
    settle: (claimed, outcome) => settleHook(context, claimed, outcome),
    listParked: (query) => listParked(context, query),
    replay: (id) => replayHook(context, id),
    drop: (id) => dropHook(context, id),
  };
}
