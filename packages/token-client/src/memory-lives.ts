/** The lives of the installations of a memory store: the rules of docs/decisions/0017-install-order.md. */
import { randomUUID } from 'node:crypto';
import { canonicalIssuer } from '@dowel/schema';
import { type InstallationRow, nextLife, type Rows, settleHealing } from './memory-rows.ts';
import type { InstallationLife } from './token-store.ts';

/** Tenant and plug-in are unique only together, and only under their issuer. */
export type LifeKey = Pick<InstallationLife, 'issuer' | 'tenantId' | 'pluginId'>;

/** Tokens of an event that was signed at least this much later prove a life that began after the uninstall. */
const orderToleranceSeconds = 5;

export function beginLife(rows: Rows, key: LifeKey, iat: number): InstallationLife {
  const found = findLife(rows, key);
  const row = found ? rejoin(found, iat) : { ...newRow(key), generation: 1, beganIat: iat };
  return write(rows, row);
}

/** The next life if the last one ended before, or this one, with a newer begin. */
function rejoin(row: InstallationRow, iat: number): InstallationRow {
  const { status, endedIat, generation } = row;
  const isLater = endedIat === null || endedIat < iat || (endedIat === iat && generation > 0);
  if (status === 'uninstalled') return isLater ? nextLife(row, iat) : row;
  return isLater ? { ...row, beganIat: Math.max(row.beganIat, iat) } : row;
}

/** A life that began after the uninstall was signed continues, without the tokens of events from before it. */
export function endLife(rows: Rows, key: LifeKey, iat: number): InstallationLife {
  const row = findLife(rows, key) ?? { ...newRow(key), status: 'uninstalled' as const };
  const { beganIat, appliedIat, endedIat } = row;
  const isOver =
    row.status === 'uninstalled' ||
    (beganIat <= iat && (appliedIat === null || appliedIat <= iat + orderToleranceSeconds));
  const losesTokens = isOver || (appliedIat !== null && appliedIat <= iat);
  const keepsIntent = !isOver && row.intent !== null && row.intent.iat > iat;
  const ended: InstallationRow = {
    ...row,
    beganIat: isOver || beganIat > iat ? beganIat : (appliedIat ?? beganIat),
    endedIat: Math.max(endedIat ?? iat, iat),
    intent: keepsIntent ? row.intent : null,
    ...(losesTokens && { appliedIat: null, grant: null, nextTriggerAt: null }),
    ...(losesTokens && !isOver && { status: 'pending', tokenVersion: row.tokenVersion + 1 }),
    ...(isOver && { status: 'uninstalled' }),
  };
  return write(rows, settleHealing(ended, rows.now()));
}

/** False: it is so already, or not installed. */
export function setPause(rows: Rows, id: string, isPaused: boolean): boolean {
  const row = rows.get(id);
  if (!row || row.isPaused === isPaused || (isPaused && row.status === 'uninstalled')) return false;
  write(rows, settleHealing({ ...row, isPaused }, rows.now()));
  return true;
}

export function describeLife(row: InstallationRow): InstallationLife;
export function describeLife(row: InstallationRow | undefined): InstallationLife | undefined;
export function describeLife(row: InstallationRow | undefined): InstallationLife | undefined {
  if (!row) return undefined;
  const { id, issuer, tenantId, pluginId, status, generation, appliedIat, grant } = row;
  const baseUrl = grant?.baseUrl ?? null;
  return { id, issuer, tenantId, pluginId, status, generation, appliedIat, baseUrl };
}

function write(rows: Rows, row: InstallationRow): InstallationLife {
  rows.put(row);
  rows.changed(row.id, true);
  return describeLife(row);
}

export function findLife(rows: Rows, key: LifeKey): InstallationRow | undefined {
  const issuer = issuerOf(key);
  for (const row of rows.list()) {
    const isOfKey = row.tenantId === key.tenantId && row.pluginId === key.pluginId;
    if (isOfKey && row.issuer === issuer) return row;
  }
  return undefined;
}

/** One spelling for each issuer. */
function issuerOf({ issuer }: LifeKey): string {
  return canonicalIssuer(issuer) ?? issuer;
}

function newRow(key: LifeKey): InstallationRow {
  const { tenantId, pluginId } = key;
  return {
    id: randomUUID(),
    issuer: issuerOf(key),
    tenantId,
    pluginId,
    status: 'pending',
    generation: 0,
    beganIat: 0,
    endedIat: null,
    appliedIat: null,
    tokenVersion: 0,
    errorReason: null,
    isPaused: false,
    nextTriggerAt: null,
    triggeredAt: null,
    triggers: 0,
    healAt: null,
    grant: null,
    intent: null,
  };
}
