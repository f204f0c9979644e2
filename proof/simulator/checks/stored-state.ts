/**
 * Reads the database after each write. No generation and no version goes back; a refresh's tokens
 * follow the ones they were got for; no secret stays after an uninstall.
 */
import type { SimulatedDatabase, StoredInstallation, StoredSecrets } from '../database.ts';
import type { Simulation } from '../simulation.ts';
import type { Tenant } from '../tenant.ts';

/** Events within this time count as simultaneous. */
const orderToleranceSeconds = 5;

export type StoredState = ReturnType<typeof createStoredState>;

interface Context {
  simulation: Simulation;
  database: SimulatedDatabase;
  tenants: readonly Tenant[];
  rows: Map<Tenant, StoredInstallation>;
  /** The refresh token of the stored version, even if it is deleted meanwhile. */
  refreshTokens: Map<Tenant, string | null>;
  /** Codes and access tokens whose tokens were durable at some time. */
  stored: Set<string>;
}

export function createStoredState(
  simulation: Simulation,
  database: SimulatedDatabase,
  tenants: readonly Tenant[],
) {
  const rows = new Map<Tenant, StoredInstallation>();
  const stored = new Set<string>();
  const context: Context = {
    simulation,
    database,
    tenants,
    rows,
    refreshTokens: new Map(),
    stored,
  };
  return {
    /** Called after each write. */
    check(): void {
      for (const row of database.read()) checkRow(context, row);
    },
    isStored: (codeOrAccessToken: string) => stored.has(codeOrAccessToken),
    /** Whether tokens were stored from an event that was signed then or later. */
    isStoredSince: (tenant: Tenant, iat: number) =>
      [...stored].some((text) => (tenant.iatOf(text)?.last ?? -1) >= iat),
    isOver: (tenant: Tenant, iat: number) => isOver(context, tenant, iat),
    /** Whether only an uninstall event of the installation was received. */
    isUnseen: (tenant: Tenant) => rows.get(tenant)?.generation === 0,
    idOf: (tenant: Tenant) => rows.get(tenant)?.id,
    statusOf: (tenant: Tenant) => rows.get(tenant)?.status,
    hasIntent: (tenant: Tenant) => hasIntent(context, tenant),
    versionOf(tenant: Tenant): string {
      const row = rows.get(tenant);
      return row ? versionOf(row) : 'none';
    },
    tenantOf: (installationId: string) =>
      tenants.find((tenant) => rows.get(tenant)?.id === installationId),
  };
}

function checkRow(context: Context, row: StoredInstallation): void {
  const { database, tenants, rows } = context;
  const tenant = tenants.find(({ tenantId }) => tenantId === row.tenantId);
  if (!tenant) throw new Error('An installation of an unknown tenant is stored');
  const before = rows.get(tenant);
  rows.set(tenant, row);
  if (before) checkOrder(context, tenant, { before, row });
  if (row.status === 'uninstalled') checkErased(context, tenant, database.readSecrets(row.id));
  else if (row.tokenVersion !== before?.tokenVersion)
    checkVersion(context, tenant, { before, row });
}

interface Change<Before = StoredInstallation | undefined> {
  before: Before;
  row: StoredInstallation;
}

function checkOrder(
  { simulation: { violate } }: Context,
  { name }: Tenant,
  { before, row }: Change<StoredInstallation>,
): void {
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

/** The time that replaces `appliedIat`, which only an uninstall deletes. */
function endedAfter({ status, endedIat }: StoredInstallation): number {
  return status === 'uninstalled' ? Number.POSITIVE_INFINITY : (endedIat ?? 0);
}

function checkErased({ simulation }: Context, { name }: Tenant, secrets: StoredSecrets): void {
  const { grantVersion, intentGeneration } = secrets;
  if ((grantVersion ?? intentGeneration) === null) return;
  const what = grantVersion === null ? 'intent' : 'grant';
  simulation.violate('no secret stays readable after an uninstall', `${name}: ${what}`);
}

function checkVersion(context: Context, tenant: Tenant, { before, row }: Change): void {
  const { simulation, database, refreshTokens, stored } = context;
  const { name } = tenant;
  const secrets = database.readSecrets(row.id);
  const { accessToken, grantVersion, grantGeneration } = secrets;
  const replaced = refreshTokens.get(tenant);
  refreshTokens.set(tenant, secrets.refreshToken);
  if (accessToken === null) return;
  const version = versionOf(row);
  simulation.log('database', `${name} has version ${version}: ${accessToken}`);
  if (grantVersion !== row.tokenVersion || grantGeneration !== row.generation) {
    simulation.violate('a grant is of the version that its installation says', name);
  }
  const origin = tenant.originOf(accessToken);
  stored.add(accessToken);
  if (!origin) simulation.violate('only tokens that the platform issued are stored', name);
  else if (origin.from === 'code') checkCode(context, tenant, { before, row, code: origin.code });
  else if (origin.refreshToken !== replaced) {
    const what = `${name} ${version}: got for ${origin.refreshToken}, replaces ${replaced}`;
    simulation.violate("a refresh's tokens follow those they were got for", what);
  }
}

function checkCode(
  { simulation, stored }: Context,
  tenant: Tenant,
  { before, row, code }: Change & { code: string },
): void {
  const { violate } = simulation;
  stored.add(code);
  const iat = tenant.iatOf(code)?.last ?? 0;
  const appliedIat = before?.generation === row.generation ? (before.appliedIat ?? 0) : 0;
  if (iat + orderToleranceSeconds < appliedIat) {
    violate('tokens of an older event replace none of a newer one', code);
  }
  if (iat < (row.endedIat ?? 0)) {
    violate('tokens of before an uninstall enter no later life', code);
  }
}

/** Whether an uninstall of that time was accepted: the generation has ended, or another one has begun. */
function isOver({ rows }: Context, tenant: Tenant, iat: number): boolean {
  const row = rows.get(tenant);
  if (!row) return false;
  return row.status === 'uninstalled' ? (row.endedIat ?? 0) >= iat : row.beganIat > iat;
}

function hasIntent({ database, rows }: Context, tenant: Tenant): boolean {
  const row = rows.get(tenant);
  return row !== undefined && database.readSecrets(row.id).intentGeneration !== null;
}

function versionOf({ generation, tokenVersion }: StoredInstallation): string {
  return `${generation}.${tokenVersion}`;
}
