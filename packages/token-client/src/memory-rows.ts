/** The rows of a memory store, its transactions, and the rules of its times. */
import type { InstallationStatus } from '@dowel/schema';
import {
  type ClientAccess,
  type ExchangeIntent,
  longestLeaseMs,
  longestPauseMs,
  type StoreListener,
  type TokenSet,
} from './token-store.ts';

/** The hold of several codes that are exchanged at the same time: no one of them may end it. */
export const severalCodes = 'several';

/** A point in time at which a right ends; null: it has ended. */
type End = number | null;

export interface GrantRow extends ClientAccess, TokenSet {
  isInDoubt: boolean;
  leaseOwner: string | null;
  leaseUntil: End;
  leaseSequence: number;
  /** Presentations of the refresh token: those without an answer, and those that may still arrive. */
  presented: number;
  unanswered: number;
  failures: number;
  nextRefreshAt: End;
  /** When the token bucket is full again. */
  bucketFullAt: End;
  /** The code whose exchange holds refreshes back. */
  heldFor: string | null;
  heldUntil: End;
}

export interface IntentRow extends Omit<ExchangeIntent, 'attempt'> {
  generation: number;
  attempt: string | null;
  startedAt: number;
  presented: number;
  unanswered: number;
  heldFor: string | null;
  heldUntil: End;
}

/** One installation. Rows are never changed, only replaced: that makes a transaction cheap to take back. */
export interface InstallationRow {
  id: string;
  issuer: string;
  tenantId: string;
  pluginId: string;
  status: InstallationStatus;
  generation: number;
  /** `iat` of the event that began this life, or of a newer install. */
  beganIat: number;
  /** `iat` of the last uninstall. */
  endedIat: number | null;
  appliedIat: number | null;
  tokenVersion: number;
  errorReason: string | null;
  isPaused: boolean;
  nextTriggerAt: End;
  triggeredAt: number | null;
  /** Triggers that were sent for this token set. */
  triggers: number;
  /** When `claimDue` takes it; null: only a call or an event does. */
  healAt: number | null;
  grant: GrantRow | null;
  intent: IntentRow | null;
}

/** The rows, as one transaction reads and writes them. */
export interface Rows {
  now(): number;
  get(id: string): InstallationRow | undefined;
  list(): Iterable<InstallationRow>;
  put(row: InstallationRow): void;
  /** Announces a change after the commit. */
  changed(id: string, ofTokens: boolean): void;
}

/** The committed rows, and one transaction at a time on them. */
export function createRows(now: () => number) {
  const committed = new Map<string, InstallationRow>();
  const listeners = new Set<StoreListener>();
  let last: Promise<unknown> = Promise.resolve();

  async function run<Result>(work: (rows: Rows) => Promise<Result>): Promise<Result> {
    const written = new Map<string, InstallationRow>();
    const changes = new Map<string, boolean>();
    const result = await work({
      now,
      get: (id) => written.get(id) ?? committed.get(id),
      list: () => new Map([...committed, ...written]).values(),
      put: (row) => void written.set(row.id, row),
      changed: (id, ofTokens) => void changes.set(id, ofTokens || changes.get(id) === true),
    });
    for (const [id, row] of written) committed.set(id, row);
    for (const change of changes) announce(...change);
    return result;
  }

  /** Errors of a listener are ignored: the change is committed already. */
  function announce(...change: Parameters<StoreListener>): void {
    for (const listener of listeners) void (async () => listener(...change))().catch(() => {});
  }

  return {
    /** The committed rows, to read at once: a running transaction may wait for the reader. */
    committed: {
      now,
      get: (id) => committed.get(id),
      list: () => committed.values(),
      put: refuseWrite,
      changed: refuseWrite,
    } satisfies Rows,

    transaction<Result>(work: (rows: Rows) => Promise<Result>): Promise<Result> {
      const result = last.then(() => run(work));
      last = result.catch(() => {});
      return result;
    },

    onChange(listener: StoreListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function refuseWrite(): never {
  throw new Error('A write outside of a transaction');
}

/** An end that is further away than any can be was written before the clock was set back. */
export function hasLapsed(now: number, end: End, longestMs = longestLeaseMs): boolean {
  return end === null || end <= now || end > now + longestMs;
}

export function msUntilLapse(now: number, end: End, longestMs = longestLeaseMs): number {
  return end === null || hasLapsed(now, end, longestMs) ? 0 : end - now;
}

/** After this time an exchange has certainly ended. */
const staleIntentMs = 45_000;

/** When the exchange that an intent announces has certainly ended. */
export function abandonedAt({ intent, generation }: InstallationRow): number | null {
  return intent?.generation === generation ? intent.startedAt + staleIntentMs : null;
}

/** The row with the time at which it needs a trigger. */
export function settleHealing(row: InstallationRow, now: number): InstallationRow {
  if (row.status === 'uninstalled') return { ...row, healAt: null };
  if (row.status !== 'awaiting_event') return { ...row, healAt: abandonedAt(row) };
  const turnAt = now + msUntilLapse(now, row.nextTriggerAt, longestPauseMs);
  return { ...row, healAt: row.healAt ?? turnAt };
}

/** Whether an event belongs to this life, or was signed after its end and so belongs to the next one. */
export function isOfLife(row: InstallationRow, generation: number, iat: number): boolean {
  const { endedIat } = row;
  if (endedIat !== null && endedIat < iat) return true;
  return row.generation === generation && (endedIat === null || endedIat === iat);
}

/** The row at the begin of its next life. */
export function nextLife(row: InstallationRow, iat: number): InstallationRow {
  return {
    ...row,
    status: 'pending',
    generation: row.generation + 1,
    beganIat: iat,
    appliedIat: null,
    errorReason: null,
    nextTriggerAt: null,
    triggers: 0,
    healAt: null,
  };
}
