/**
 * The port of the outbox. A change that a plug-in's hooks must receive is written in the transaction in which
 * it happens, and delivered after the commit (docs/decisions/0036-hooks.md). All times are by the database's
 * clock.
 */
import type { BrokenInstallations } from '@dowel/token-client';
import type { Installation } from './installation-store.ts';
import type { Stores } from './store.ts';

/** The changes of an installation that a plug-in's hooks can receive. */
export type HookEvent =
  | 'installed'
  | 'tokensReceived'
  | 'instanceAdded'
  | 'instanceRemoved'
  | 'broken'
  | 'recovered'
  | 'uninstalled';

/** `superseded`: it was parked, and its generation ended before it was replayed, or an operator dropped it. */
export type HookState = 'waiting' | 'delivered' | 'parked' | 'superseded';

/** The facts of one delivery: JSON of at most 4 KB, without secrets. */
export type HookFacts = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface HookEntry {
  installationId: string;
  generation: number;
  event: HookEvent;
  data: HookFacts;
}

/** A change, for the function that decides whether a hook receives it. */
export interface HookChange extends HookEntry {
  /** The plug-in of the installation, by the name that the back end gave it. */
  plugin: string;
}

/** Called in the transaction in which it happens. It may be called again when that is repeated. */
export type ApplyChange = (stores: Stores, change: HookChange) => Promise<void>;

export interface HookRow extends HookEntry {
  /** The same for each attempt and replay. Made of the installation's id and the sequence. */
  id: string;
  /** The place in the installation's order of commits, from 1. */
  sequence: number;
  /** Runs that began, this one included. */
  attempts: number;
  occurredAt: number;
}

/** The right to run the first waiting delivery of one installation. It ends at its time limit. */
export interface ClaimedHook extends HookRow {
  isReplay: boolean;
  /**
   * The tenant had this plug-in again when this claim was made: a newer life of the installation had begun and been
   * let in, and had not ended, or there was a living installation of the same tenant and plug-in under another issuer. It
   * is read in the claim's transaction: another install can come right after it.
   */
  isReinstalled: boolean;
  /** Only of `instanceRemoved`: the instance was placed again when this claim was made. */
  isPlacedAgain?: boolean;
  /** As it was when this claim was made, with the generation and the life's id of the delivery. */
  installation: Installation;
  owner: string;
  /** The fencing number: no two claims of an installation have the same. */
  leaseSequence: number;
}

export interface ParkedHook extends HookRow {
  parkedAt: number;
  /** Why: the last error, at most 500 characters. */
  lastError: string;
}

export interface HookClaim {
  /** Unique to the process. */
  owner: string;
  limit: number;
  /** Longer than a run may take: it is never extended. */
  leaseMs: number;
  /** Installations whose last run has not ended in this process. */
  except: readonly string[];
  /** Whether this process has a hook for it. May be called again when the transaction is repeated. */
  handles(plugin: string, event: HookEvent): boolean;
}

export interface ClaimedHooks {
  claimed: ClaimedHook[];
  /** No process has had a hook for these for an hour, so they are parked as `no_handler`. */
  unhandled: ParkedHook[];
}

export type HookOutcome =
  | { state: 'delivered' }
  /** The next attempt is due after `retryInMs`; its stream waits for it. */
  | { state: 'failed'; error: string; retryInMs: number }
  /** Not tried again before a replay. Its stream goes on. */
  | { state: 'parked'; error: string }
  /** Its installation's life has ended, so it comes too late for good. Its stream goes on. */
  | { state: 'superseded'; error: string };

/** The outbox: at least once, in the order of the commits, one at a time per installation. */
export interface HookStore {
  /**
   * Writes one delivery. Call it in the transaction in which it happened, after the installation is locked.
   *
   * @throws TypeError for facts of more than 4 KB.
   */
  append(entry: HookEntry): Promise<{ id: string; sequence: number }>;
  /** Milliseconds until the next delivery may run; undefined when none waits. */
  findDueInMs(except: readonly string[]): Promise<number | undefined>;
  /**
   * Claims the first waiting delivery of each due installation, and counts the attempt before it begins. After
   * a crash it is due again when the lease ends. One without a hook in this process is given back for 30
   * seconds, uncounted, and parked after an hour.
   */
  claim(claim: HookClaim): Promise<ClaimedHooks>;
  /**
   * Ends a claim. When `uninstalled` is delivered, the parked deliveries of that life become `superseded`.
   *
   * @returns false when another process has claimed it since then. Then nothing was written.
   */
  settle(claimed: ClaimedHook, outcome: HookOutcome): Promise<boolean>;
  /**
   * A page of parked deliveries, by installation, then in the order of their writing.
   *
   * @throws TypeError for an `after` that is no id.
   */
  listParked(query: {
    installationId?: string | undefined;
    /** The id of the last one of the previous page. */
    after?: string | undefined;
    limit: number;
  }): Promise<ParkedHook[]>;
  /**
   * Makes a parked delivery wait again, with its id and place and without attempts. `superseded`: its
   * generation has ended; only `uninstalled` is delivered after that. `unknown`: it is not parked.
   */
  replay(id: string): Promise<'queued' | 'superseded' | 'unknown'>;
  /** Ends a parked delivery: it becomes `superseded`. False: it is not parked. */
  drop(id: string): Promise<boolean>;
}

/** Whether a life has become usable, and whether it still is. */
export interface UsabilityStore extends BrokenInstallations {
  /**
   * The plug-in can work from now on: its first tokens are stored, or it needs none. Call it in the
   * transaction that decides the event.
   *
   * @returns whether an earlier life of the installation was usable; undefined: this one was already.
   */
  becomeUsable(
    installationId: string,
    generation: number,
  ): Promise<{ isReinstall: boolean } | undefined>;
  /** The widgets placed since this life began, at most 1,000, because a hook receives them after `installed`. */
  listPlacedSinceBegin(installationId: string): Promise<string[]>;
  /** The plug-in's `beforeInstall` has let this life in. */
  admit(installationId: string, generation: number): Promise<void>;
}
