/** Who may renew a token set of a memory store: leases, exchanges and triggers. */
import { findOfVersion, grantOf } from './memory-grants.ts';
import {
  type GrantRow,
  hasLapsed,
  type InstallationRow,
  type IntentRow,
  isOfLife,
  msUntilLapse,
  type Rows,
  settleHealing,
  severalCodes,
} from './memory-rows.ts';
import {
  type ExchangeEnding,
  type ExchangeIntent,
  type FailedRefresh,
  type GrantVersion,
  type InstallationLife,
  type Lease,
  type LeaseOutcome,
  type LeaseRequest,
  longestPauseMs,
  type RenewalStore,
  type TriggerClaim,
} from './token-store.ts';

/** A claimed installation is due again after this time. */
const claimMs = 5_000;

/** Each method runs at once, in the transaction of these rows. */
export function createMemoryRenewals(rows: Rows): RenewalStore {
  return {
    acquire: async (version, request) => acquire(rows, version, request),
    extend: async (lease, times) => extend(rows, lease, times),
    takeBack: async (version, attempt) => takeBackAttempt(rows, version, attempt),
    release: async (lease, failure) => release(rows, lease, failure),
    beginExchange: async (installation, intent, holdMs) =>
      beginExchange(rows, installation, { ...intent, holdMs }),
    endExchange: async (installationId, code, ending) =>
      endExchange(rows, installationId, { code, ending }),
    claimTrigger: async (version, pauseMs, gapMs) =>
      claimTrigger(rows, version, { pauseMs, gapMs }),
    delayTrigger: async (version, delayMs) => {
      const row = findOfVersion(rows, version);
      if (row) rows.put(withNextTrigger(row, rows.now(), delayMs));
    },
    loadTrigger: async (installationId) => loadTrigger(rows.get(installationId)),
    claimDue: async (limit) => claimDue(rows, limit),
  };
}

type Leasable = InstallationRow & { grant: GrantRow };

function findGrant(rows: Rows, version: GrantVersion): Leasable | undefined {
  const row = findOfVersion(rows, version);
  return row?.grant ? { ...row, grant: row.grant } : undefined;
}

function putGrant(rows: Rows, row: Leasable, changes: Partial<GrantRow>): GrantRow {
  const grant = { ...row.grant, ...changes };
  rows.put({ ...row, grant });
  return grant;
}

function acquire(rows: Rows, version: GrantVersion, request: LeaseRequest): LeaseOutcome {
  const row = findGrant(rows, version);
  if (!row) return { outcome: rows.get(version.installationId)?.grant ? 'moved' : 'gone' };
  const refusal = findObstacle(row, request, rows.now());
  if (refusal) return refusal;
  const { leaseMs, intervalMs, owner } = request;
  const { leaseSequence, presented, unanswered, failures, bucketFullAt } = row.grant;
  const now = rows.now();
  const grant = putGrant(rows, row, {
    leaseOwner: owner,
    leaseUntil: now + leaseMs,
    leaseSequence: leaseSequence + 1,
    presented: presented + 1,
    unanswered: unanswered + 1,
    bucketFullAt: now + msUntilLapse(now, bucketFullAt) + intervalMs,
  });
  const leased = grantOf({ ...row, grant });
  if (!leased) return { outcome: 'gone' };
  const { installationId, generation, tokenVersion } = version;
  const fence = { installationId, generation, tokenVersion, owner, sequence: grant.leaseSequence };
  const lease = { ...fence, failures, unanswered };
  return { outcome: 'acquired', lease, tenantId: row.tenantId, grant: leased };
}

/** Undefined: the lease may be taken. */
function findObstacle(
  { isPaused, grant }: Leasable,
  { maxPresentations, burst, intervalMs }: LeaseRequest,
  now: number,
): LeaseOutcome | undefined {
  if (isPaused) return { outcome: 'paused' };
  const heldMs = Math.max(msUntilLapse(now, grant.leaseUntil), msUntilLapse(now, grant.heldUntil));
  if (heldMs > 0) return { outcome: 'held', retryInMs: heldMs };
  const hasRefreshToken = grant.refreshToken !== null;
  if (!hasRefreshToken || grant.presented >= maxPresentations) {
    return { outcome: 'spent', hasRefreshToken };
  }
  const bucketMs = msUntilLapse(now, grant.bucketFullAt) - (burst - 1) * intervalMs;
  const backOffMs = msUntilLapse(now, grant.nextRefreshAt, longestPauseMs);
  const retryInMs = Math.max(backOffMs, bucketMs);
  if (retryInMs <= 0) return undefined;
  const { failures } = grant;
  if (failures > 0) return { outcome: 'backing_off', retryInMs, failures };
  return { outcome: 'rate_limited', retryInMs };
}

function isOwnLease({ grant }: Leasable, { owner, sequence }: Lease): boolean {
  return grant.leaseOwner === owner && grant.leaseSequence === sequence;
}

function extend(
  rows: Rows,
  lease: Lease,
  { leaseMs, intervalMs }: Pick<LeaseRequest, 'leaseMs' | 'intervalMs'>,
): boolean {
  const row = findGrant(rows, lease);
  const now = rows.now();
  const isMine = row !== undefined && isOwnLease(row, lease);
  if (isMine && !row.isPaused && hasLapsed(now, row.grant.heldUntil)) {
    putGrant(rows, row, { leaseUntil: now + leaseMs });
    return true;
  }
  // It counts as not taken, also when another caller has taken the next one since then.
  if (row && row.grant.presented > 0 && row.grant.unanswered > 0) {
    putGrant(rows, row, uncounted(row.grant, { intervalMs, isMine }));
  }
  rows.changed(lease.installationId, false);
  return false;
}

/** Only the newest lease can be found. If another caller has taken the next one, this one counts. */
function takeBackAttempt(
  rows: Rows,
  version: GrantVersion,
  { owner, intervalMs }: Pick<LeaseRequest, 'owner' | 'intervalMs'>,
): boolean {
  const row = findGrant(rows, version);
  if (row?.grant.leaseOwner !== owner) return false;
  putGrant(rows, row, uncounted(row.grant, { intervalMs, isMine: true }));
  rows.changed(row.id, false);
  return true;
}

function uncounted(
  { presented, unanswered, bucketFullAt }: GrantRow,
  { intervalMs, isMine }: { intervalMs: number; isMine: boolean },
): Partial<GrantRow> {
  return {
    presented: presented - 1,
    unanswered: unanswered - 1,
    bucketFullAt: bucketFullAt === null ? null : bucketFullAt - intervalMs,
    ...(isMine && { leaseOwner: null, leaseUntil: null }),
  };
}

function release(
  rows: Rows,
  lease: Lease,
  { mayBeSpent, mayArrive, retryInMs }: FailedRefresh,
): void {
  const row = findGrant(rows, lease);
  if (row && isOwnLease(row, lease)) {
    const { presented, unanswered, failures } = row.grant;
    putGrant(rows, row, {
      leaseOwner: null,
      leaseUntil: null,
      presented: mayBeSpent ? presented : presented - 1,
      unanswered: mayArrive ? unanswered : unanswered - 1,
      failures: failures + 1,
      nextRefreshAt: rows.now() + retryInMs,
    });
  }
  rows.changed(lease.installationId, false);
}

function beginExchange(
  rows: Rows,
  { id, generation }: InstallationLife,
  { holdMs, ...exchange }: ExchangeIntent & { holdMs: number },
): { presented: number; unanswered: number } | undefined {
  const row = rows.get(id);
  const isLive = row && row.status !== 'uninstalled' && isOfLife(row, generation, exchange.iat);
  if (!isLive) return undefined;
  const now = rows.now();
  const { codeDigest } = exchange;
  const heldUntil = now + holdMs;
  const intent = nextIntent(row, exchange, now);
  const heldFor = (held: GrantRow | IntentRow) =>
    hasLapsed(now, held.heldUntil) || held.heldFor === codeDigest ? codeDigest : severalCodes;
  const former = row.intent?.generation === row.generation ? row.intent : null;
  const held: InstallationRow = {
    ...row,
    intent: { ...intent, heldUntil, heldFor: former ? heldFor(former) : codeDigest },
    grant: row.grant && { ...row.grant, heldUntil, heldFor: heldFor(row.grant) },
  };
  rows.put(settleHealing(held, now));
  return { presented: intent.presented, unanswered: intent.unanswered - 1 };
}

/** The intent, or one more presentation of it. A newer event's trigger is kept, even if an older one is exchanged later. */
function nextIntent(
  { intent, generation }: InstallationRow,
  { iat, codeDigest, attempt, baseUrl, trigger }: ExchangeIntent,
  now: number,
): Omit<IntentRow, 'heldFor' | 'heldUntil'> {
  const former = intent?.generation === generation ? intent : null;
  const newest = former && former.iat > iat ? former : { iat, baseUrl, trigger };
  return {
    iat: newest.iat,
    baseUrl: newest.baseUrl,
    trigger: newest.trigger,
    generation,
    codeDigest,
    attempt: attempt ?? null,
    startedAt: now,
    presented: former?.codeDigest === codeDigest ? former.presented + 1 : 1,
    // Another code that arrives late may revoke this code's tokens.
    unanswered: former ? former.unanswered + 1 : 1,
  };
}

/** Of the attempts, only the newest one can be found, once. */
function endExchange(
  rows: Rows,
  installationId: string,
  { code, ending }: { code: string | { attempt: string }; ending: ExchangeEnding },
): boolean {
  if (typeof code === 'string') {
    endCode(rows, installationId, { codeDigest: code, ending });
    return true;
  }
  const row = rows.get(installationId);
  if (row?.intent?.attempt !== code.attempt) return false;
  rows.put({ ...row, intent: { ...row.intent, attempt: null } });
  endCode(rows, installationId, { codeDigest: row.intent.codeDigest, ending });
  return true;
}

function endCode(
  rows: Rows,
  installationId: string,
  { codeDigest, ending }: { codeDigest: string; ending: ExchangeEnding },
): void {
  const row = rows.get(installationId);
  if (row) {
    const free = { heldFor: null, heldUntil: null };
    const grant = row.grant?.heldFor === codeDigest ? { ...row.grant, ...free } : row.grant;
    const held = row.intent?.heldFor === codeDigest ? { ...row.intent, ...free } : row.intent;
    const intent = held?.codeDigest === codeDigest ? endIntent(held, ending) : held;
    const ended = { ...row, grant, intent };
    rows.put(ending === 'over' ? settleHealing(ended, rows.now()) : ended);
  }
  rows.changed(installationId, false);
}

/** If an unspent code may still arrive, it counts as unanswered. */
function endIntent(intent: IntentRow, ending: ExchangeEnding): IntentRow | null {
  if (ending === 'over') return null;
  if (ending === 'unknown') return intent;
  const { presented, unanswered } = intent;
  const arrived = ending === 'unspent' ? 1 : 0;
  return { ...intent, presented: presented - 1, unanswered: unanswered - arrived };
}

function claimTrigger(
  rows: Rows,
  version: GrantVersion,
  { pauseMs, gapMs }: { pauseMs: (sent: number) => number; gapMs: number | undefined },
): TriggerClaim {
  const row = findOfVersion(rows, version);
  if (!row) return { outcome: 'moved' };
  if (row.isPaused) return { outcome: 'paused' };
  const now = rows.now();
  const waitMs = msUntilTurn(row, gapMs, now);
  if (waitMs > 0) return { outcome: 'too_early', retryInMs: waitMs };
  const { triggers: sent, grant, intent } = row;
  const pause = pauseMs(sent);
  // A running exchange brings the tokens that a trigger would request.
  const isExchanging = [grant, intent].some((each) => each && !hasLapsed(now, each.heldUntil));
  if (isExchanging) return { outcome: 'too_early', retryInMs: wholePauseMs(pause) };
  rows.put({ ...withNextTrigger(row, now, pause), triggers: sent + 1, triggeredAt: now });
  return { outcome: 'claimed', sent };
}

/** 0: the pause since the last trigger is over; for an operator, the short gap is. */
function msUntilTurn(
  { nextTriggerAt, triggeredAt }: InstallationRow,
  gapMs: number | undefined,
  now: number,
): number {
  if (gapMs === undefined) return msUntilLapse(now, nextTriggerAt, longestPauseMs);
  const isUnknown = triggeredAt === null || triggeredAt > now;
  return isUnknown ? 0 : Math.max(0, gapMs - (now - triggeredAt));
}

/** Healing waits for the next trigger, too. */
function withNextTrigger(row: InstallationRow, now: number, pauseMs: number): InstallationRow {
  const at = now + wholePauseMs(pauseMs);
  return { ...row, nextTriggerAt: at, healAt: row.healAt === null ? null : at };
}

function wholePauseMs(ms: number): number {
  return Math.round(Math.min(ms, longestPauseMs));
}

/** Of the newest event: its intent, or the grant with its tokens. */
function loadTrigger(row: InstallationRow | undefined) {
  if (!row || row.status === 'uninstalled') return undefined;
  const { issuer, intent, grant, generation, appliedIat } = row;
  const isNewest = intent?.generation === generation && intent.iat >= (appliedIat ?? 0);
  const source = isNewest ? intent : grant;
  return source ? { issuer, baseUrl: source.baseUrl, trigger: source.trigger } : undefined;
}

function claimDue(rows: Rows, limit: number): GrantVersion[] {
  const now = rows.now();
  const due = [...rows.list()]
    .filter(({ healAt, isPaused }) => !isPaused && healAt !== null && healAt <= now)
    .toSorted((one, two) => (one.healAt ?? 0) - (two.healAt ?? 0))
    .slice(0, limit);
  return due.map((row) => {
    rows.put({ ...row, healAt: now + claimMs });
    const { id: installationId, generation, tokenVersion } = row;
    return { installationId, generation, tokenVersion };
  });
}
