/** The token sets of a memory store. They are replaced only by compare-and-swap on generation and version. */
import {
  abandonedAt,
  type GrantRow,
  hasLapsed,
  type InstallationRow,
  isOfLife,
  nextLife,
  type Rows,
  settleHealing,
  severalCodes,
} from './memory-rows.ts';
import {
  type ClientAccess,
  type EventOrder,
  type Grant,
  type GrantStore,
  type GrantVersion,
  type InstallationLife,
  longestPauseMs,
  type TokenSet,
} from './token-store.ts';

/** A new token set starts without lease and failures. */
const unleased = {
  leaseOwner: null,
  leaseUntil: null,
  presented: 0,
  unanswered: 0,
  failures: 0,
  nextRefreshAt: null,
};

/** The time from the tokens of a requested event to the next trigger. */
const triggerRestMs = 30_000;

/** Each method runs at once, in the transaction of these rows. */
export function createMemoryGrants(rows: Rows): GrantStore {
  return {
    load: async (installationId) => grantOf(rows.get(installationId)),
    findVersion: async (installationId) => {
      const row = rows.get(installationId);
      if (!row?.grant) return undefined;
      const { generation, tokenVersion, isPaused } = row;
      const grantedScopes = [...row.grant.grantedScopes];
      return { installationId, generation, tokenVersion, grantedScopes, isPaused };
    },
    replace: async (installation, access, tokens, order) =>
      replace(rows, installation, { access, tokens, order }),
    commitRefresh: async (version, tokens) => commitRefresh(rows, version, tokens),
    markAwaitingEvent: async (version, reason, at) =>
      markAwaitingEvent(rows, version, { reason, at }),
  };
}

export function grantOf(row: InstallationRow | undefined): Grant | undefined {
  if (!row?.grant) return undefined;
  const { id: installationId, issuer, generation, tokenVersion, isPaused } = row;
  const { baseUrl, clientId, clientSecret, tokenEndpointUrl, trigger } = row.grant;
  const { accessToken, refreshToken, grantedScopes, issuedAt, expiresAt, isInDoubt } = row.grant;
  return {
    installationId,
    issuer,
    generation,
    tokenVersion,
    isPaused,
    baseUrl,
    clientId,
    clientSecret,
    tokenEndpointUrl,
    trigger: trigger && { ...trigger },
    accessToken,
    refreshToken,
    grantedScopes: [...grantedScopes],
    issuedAt,
    expiresAt,
    isInDoubt,
  };
}

/** The row with this version, unless its life has ended. */
export function findOfVersion(rows: Rows, version: GrantVersion): InstallationRow | undefined {
  const row = rows.get(version.installationId);
  const isIt =
    row?.generation === version.generation &&
    row.tokenVersion === version.tokenVersion &&
    row.status !== 'uninstalled';
  return isIt ? row : undefined;
}

/** The tokens from an event, and the event's place in the order. */
interface Brought {
  access: ClientAccess;
  tokens: TokenSet;
  order: EventOrder;
}

function replace(
  rows: Rows,
  { id, generation, appliedIat: known }: InstallationLife,
  { access, tokens, order: { iat, newestIat } }: Brought,
): 'stored' | 'superseded' | 'ended' {
  const found = rows.get(id);
  if (!found || !isOfLife(found, generation, iat)) return 'ended';
  const begins = found.status === 'uninstalled' && found.endedIat !== null && found.endedIat < iat;
  const row = begins ? nextLife(found, iat) : found;
  if (row.status === 'uninstalled') return 'ended';
  const { appliedIat } = row;
  const isNewest = appliedIat === null || appliedIat <= iat;
  // A newer event was applied during this exchange: its tokens are kept, too.
  if (!isNewest && !(appliedIat === known && appliedIat <= newestIat)) return 'superseded';
  const now = rows.now();
  const isResting = !hasLapsed(now, row.nextTriggerAt, longestPauseMs);
  const stored: InstallationRow = {
    ...nextVersion(row),
    appliedIat: Math.max(appliedIat ?? iat, iat),
    // Only a refresh proves that the platform accepts its own tokens.
    nextTriggerAt: isResting ? now + triggerRestMs : null,
    grant: { ...access, ...broughtGrant(row, tokens) },
    intent: row.intent && row.intent.iat < iat ? null : row.intent,
  };
  rows.put(settleHealing(stored, now));
  rows.changed(id, true);
  return 'stored';
}

/** If several codes are exchanged at once, the server may revoke the tokens of another code. */
function broughtGrant({ grant, intent, generation }: InstallationRow, tokens: TokenSet) {
  const isHeldBefore = intent?.generation === generation && intent.heldFor === severalCodes;
  const isInDoubt =
    tokens.isInDoubt === true ||
    isHeldBefore ||
    grant?.heldFor === severalCodes ||
    (grant?.unanswered ?? 0) > 1;
  const ofIntent = isHeldBefore ? intent : { heldFor: null, heldUntil: null };
  const hold = grant?.heldFor === severalCodes ? grant : ofIntent;
  return {
    ...wholeTokens(tokens),
    ...unleased,
    isInDoubt,
    leaseSequence: grant?.leaseSequence ?? 0,
    bucketFullAt: grant?.bucketFullAt ?? null,
    heldFor: hold.heldFor,
    heldUntil: hold.heldUntil,
  };
}

function commitRefresh(
  rows: Rows,
  version: GrantVersion,
  tokens: TokenSet,
): Pick<Grant, 'isInDoubt' | 'isPaused'> | undefined {
  const row = findOfVersion(rows, version);
  if (!row?.grant) return undefined;
  const isInDoubt = row.grant.unanswered > 1;
  const grant: GrantRow = { ...row.grant, ...unleased, ...wholeTokens(tokens), isInDoubt };
  const refreshed = { ...nextVersion(row), nextTriggerAt: null, grant };
  rows.put({ ...refreshed, healAt: abandonedAt(refreshed) });
  rows.changed(row.id, true);
  return { isInDoubt, isPaused: row.isPaused };
}

function nextVersion(row: InstallationRow): InstallationRow {
  const tokenVersion = row.tokenVersion + 1;
  return { ...row, tokenVersion, status: 'active', errorReason: null, triggers: 0, healAt: null };
}

function wholeTokens(tokens: TokenSet): TokenSet {
  const { accessToken, refreshToken, grantedScopes, issuedAt, expiresAt } = tokens;
  return {
    accessToken,
    refreshToken,
    grantedScopes: [...grantedScopes],
    issuedAt: Math.round(issuedAt),
    expiresAt: expiresAt === null ? null : Math.round(expiresAt),
  };
}

function markAwaitingEvent(
  rows: Rows,
  version: GrantVersion,
  { reason, at }: { reason: string; at: number },
): string | undefined {
  const row = findOfVersion(rows, version);
  if (!row) return undefined;
  const isFirst = row.status !== 'awaiting_event';
  // A second process may be able to use what this one cannot read.
  const grant = reason === 'secret_integrity' ? row.grant : forgetTokens(row.grant, at);
  if (!isFirst && grant === row.grant) return row.errorReason ?? reason;
  const errorReason = isFirst ? reason : row.errorReason;
  const marked: InstallationRow = { ...row, status: 'awaiting_event', errorReason, grant };
  const healAt = isFirst ? null : row.healAt;
  rows.put(settleHealing({ ...marked, healAt }, rows.now()));
  rows.changed(row.id, true);
  return errorReason ?? reason;
}

/** The grant without its refresh token and with an access token that has expired; the same one if it is so already. */
function forgetTokens(grant: GrantRow | null, at: number): GrantRow | null {
  if (!grant) return null;
  const { refreshToken, expiresAt } = grant;
  if (refreshToken === null && expiresAt !== null && expiresAt <= at) return grant;
  const endsAt = Math.min(expiresAt ?? at, at);
  return { ...grant, refreshToken: null, expiresAt: endsAt, leaseOwner: null, leaseUntil: null };
}
