/**
 * Looks at the database after each write. No generation and no version goes
 * back; a refresh's tokens follow the ones they were got for; nothing secret outlives an uninstall.
 */
import type { SimulatedDatabase, StoredInstallation, StoredSecrets } from '../database.ts';
import type { Simulation } from '../simulation.ts';
import type { Tenant } from '../tenant.ts';

/** Events of so many seconds count as of one moment. */
const orderToleranceSeconds = 5;

export type StoredState = ReturnType<typeof createStoredState>;

/** Only an uninstall takes tokens away: what it ended is as new as it. */
function endedAfter({ status, endedIat }: StoredInstallation): number {
  return status === 'uninstalled' ? Number.POSITIVE_INFINITY : (endedIat ?? 0);
}

export function createStoredState(
  simulation: Simulation,
  database: SimulatedDatabase,
  tenants: readonly Tenant[],
) {
  const { violate, tell } = simulation;
  const rows = new Map<Tenant, StoredInstallation>();
  /** The refresh token that the stored version came with, though it may be forgotten by now. */
  const refreshTokens = new Map<Tenant, string | null>();
  /** Codes and access tokens whose tokens were durable at some time. */
  const stored = new Set<string>();

  function look(row: StoredInstallation): void {
    const tenant = tenants.find(({ tenantId }) => tenantId === row.tenantId);
    if (!tenant) throw new Error('An installation of nobody is stored');
    const before = rows.get(tenant);
    rows.set(tenant, row);
    if (before) checkOrder(tenant, before, row);
    if (row.status === 'uninstalled') checkForgotten(tenant, database.readSecrets(row.id));
    else if (row.tokenVersion !== before?.tokenVersion) checkVersion(tenant, row, before);
  }

  function checkForgotten({ name }: Tenant, secrets: StoredSecrets): void {
    const { grantVersion, intentGeneration } = secrets;
    if ((grantVersion ?? intentGeneration) !== null) {
      const what = grantVersion === null ? 'intent' : 'grant';
      violate('no secret stays readable after an uninstall', `${name}: ${what}`);
    }
  }

  function checkOrder({ name }: Tenant, before: StoredInstallation, row: StoredInstallation): void {
    const { generation, tokenVersion, appliedIat, endedIat } = before;
    if (row.generation < generation || row.tokenVersion < tokenVersion) {
      violate('no generation or version goes back', name);
    }
    if (row.generation === generation && (row.appliedIat ?? endedAfter(row)) < (appliedIat ?? 0)) {
      violate('the newest applied event stays the newest', name);
    }
    if (row.endedIat !== null && row.endedIat < (endedIat ?? 0)) {
      violate('no uninstall is forgotten', name);
    }
    if (row.generation > generation && row.beganIat < (endedIat ?? 0)) {
      violate('nothing from before an uninstall revives the installation', name);
    }
  }

  function checkVersion(
    tenant: Tenant,
    row: StoredInstallation,
    before: StoredInstallation | undefined,
  ): void {
    const { name } = tenant;
    const secrets = database.readSecrets(row.id);
    const { accessToken, grantVersion, grantGeneration } = secrets;
    const replaced = refreshTokens.get(tenant);
    refreshTokens.set(tenant, secrets.refreshToken);
    if (accessToken === null) return;
    const version = `${row.generation}.${row.tokenVersion}`;
    tell('database', `${name} has version ${version}: ${accessToken}`);
    if (grantVersion !== row.tokenVersion || grantGeneration !== row.generation) {
      violate('a grant is of the version that its installation says', name);
    }
    const origin = tenant.originOf(accessToken);
    stored.add(accessToken);
    if (!origin) violate('only tokens that the platform issued are stored', name);
    else if (origin.from === 'code') checkCode(tenant, row, before, origin.code);
    else if (origin.refreshToken !== replaced) {
      const what = `${name} ${version}: got for ${origin.refreshToken}, replaces ${replaced}`;
      violate("a refresh's tokens follow those they were got for", what);
    }
  }

  function checkCode(
    tenant: Tenant,
    { generation, endedIat }: StoredInstallation,
    before: StoredInstallation | undefined,
    code: string,
  ): void {
    stored.add(code);
    const iat = tenant.iatOf(code)?.last ?? 0;
    const appliedIat = before?.generation === generation ? (before.appliedIat ?? 0) : 0;
    if (iat + orderToleranceSeconds < appliedIat) {
      violate('tokens of an older event replace none of a newer one', code);
    }
    if (iat < (endedIat ?? 0)) violate('tokens of before an uninstall enter no later life', code);
  }

  return {
    /** To be called after each write. */
    check(): void {
      for (const row of database.read()) look(row);
    },

    isStored: (codeOrAccessToken: string) => stored.has(codeOrAccessToken),

    /** Of a code whose tokens were stored, and whose event came no earlier. */
    isStoredSince: (tenant: Tenant, iat: number) =>
      [...stored].some((text) => (tenant.iatOf(text)?.last ?? -1) >= iat),

    /** An uninstall of then was accepted: the life is over, or another one has begun since. */
    isOver(tenant: Tenant, iat: number): boolean {
      const row = rows.get(tenant);
      if (!row) return false;
      return row.status === 'uninstalled' ? (row.endedIat ?? 0) >= iat : row.beganIat > iat;
    },

    /** Nothing but its uninstall has come so far. */
    isUnseen: (tenant: Tenant) => rows.get(tenant)?.generation === 0,

    idOf: (tenant: Tenant) => rows.get(tenant)?.id,
    statusOf: (tenant: Tenant) => rows.get(tenant)?.status,
    hasIntent(tenant: Tenant): boolean {
      const row = rows.get(tenant);
      return row !== undefined && database.readSecrets(row.id).intentGeneration !== null;
    },

    versionOf(tenant: Tenant): string {
      const row = rows.get(tenant);
      return row ? `${row.generation}.${row.tokenVersion}` : 'none';
    },

    tenantOf: (installationId: string) =>
      tenants.find((tenant) => rows.get(tenant)?.id === installationId),
  };
}
