import { type ClaimedHook, claimHooks, findDueInMs, type HookClaim } from './hook-claims.ts';
import { type HookOutcome, settleHook } from './hook-settling.ts';
import { appendHook, type HookEntry } from './outbox.ts';
import { dropHook, listParked, type ParkedHookQuery, replayHook } from './parked-hooks.ts';
import type { StoreContext } from './store-context.ts';

/**
 * The outbox: at least once, in the order of the commits, one at a time per installation. A change that a plug-in's
 * hooks must receive is written in the transaction in which it happens, and delivered after the commit
 * (docs/decisions/0036-hooks.md). All times are by the database's clock.
 */
export function createHookStore(context: Omit<StoreContext, 'keyring'>) {
  return {
    /**
     * Writes one delivery. Call it in the transaction in which it happened, after the installation is locked.
     *
     * @throws TypeError for facts of more than 4 KB.
     */
    append: (entry: HookEntry) => appendHook(context, entry),
    /** Milliseconds until the next delivery may run; undefined when none waits. */
    findDueInMs: (except: readonly string[]) => findDueInMs(context, except),
    /**
     * Claims the first waiting delivery of each due installation, and counts the attempt before it begins. After
     * a crash it is due again when the lease ends. One without a hook in this process is given back for 30
     * seconds, uncounted, and parked after an hour.
     */
    claim: (claim: HookClaim) => claimHooks(context, claim),
    /**
     * Ends a claim. When `uninstalled` is delivered, the parked deliveries of that life become `superseded`.
     *
     * @returns false when another process has claimed it since then. Then nothing was written.
     */
    settle: (claimed: ClaimedHook, outcome: HookOutcome) => settleHook(context, claimed, outcome),
    /**
     * A page of parked deliveries, by installation, then in the order of their writing.
     *
     * @throws TypeError for an `after` that is no id.
     */
    listParked: (query: ParkedHookQuery) => listParked(context, query),
    /**
     * Makes a parked delivery wait again, with its id and place and without attempts. `superseded`: its
     * generation has ended; only `uninstalled` is delivered after that. `unknown`: it is not parked.
     */
    replay: (id: string) => replayHook(context, id),
    /** Ends a parked delivery: it becomes `superseded`. False: it is not parked. */
    drop: (id: string) => dropHook(context, id),
  };
}
