/** A tenant's state while the platform runs: its part of the snapshot, and the objects that use it. */
import {
  type AuthorizationServer,
  createAuthorizationServer,
  type Terms,
} from './authorization-server/index.ts';
import { type BoundedLog, createBoundedLog } from './bounded-log.ts';
import type { Lab, Tenant, User } from './control-api.ts';
import { PlatformError } from './errors.ts';
import type {
  InstallationRecord,
  NotificationRecord,
  PlacedInstance,
  TenantSnapshot,
} from './snapshot.ts';
import type { TenantSeed } from './tenants.ts';

export interface TenantState {
  readonly tenant: Tenant;
  readonly slug: string;
  /** The part of the tenant's people that the snapshot keeps. */
  readonly addedUsers: User[];
  readonly lab: Lab;
  readonly installations: InstallationRecord[];
  /** Installations that have begun and are not complete yet. */
  readonly installing: Set<Pick<InstallationRecord, 'pluginId'>>;
  /** Installations with an update in progress. */
  readonly updating: Set<InstallationRecord>;
  readonly authorizationServer: AuthorizationServer;
  /** Uses the authorization server's clock and the settings of the lab. */
  readonly terms: () => Terms;
  readonly notifications: BoundedLog<Omit<NotificationRecord, 'id'>>;
}

/** Changes `part` in place. */
export function createTenantState(
  { slug, ...seed }: TenantSeed,
  {
    origin,
    now,
    part,
    toleratesBasicMistakes,
  }: { origin: string; now: () => number; part: TenantSnapshot; toleratesBasicMistakes: boolean },
): TenantState {
  const { lab, installations, clients, users: addedUsers } = part;
  return {
    tenant: {
      ...seed,
      users: [...seed.users, ...addedUsers],
      baseUrl: `${origin}/t/${slug}`,
    },
    slug,
    addedUsers,
    lab,
    installations,
    installing: new Set(),
    updating: new Set(),
    authorizationServer: createAuthorizationServer({ tenantId: seed.tenantId, clients }),
    terms: () => ({ ...labTerms(lab, now()), toleratesBasicMistakes }),
    notifications: createBoundedLog(part.notifications, ({ recipientId }) => recipientId),
  };
}

/** Whether the plug-in is installed, or is being installed. */
export function isPresent({ installations, installing }: TenantState, pluginId: string): boolean {
  return [...installations, ...installing].some((each) => each.pluginId === pluginId);
}

/**
 * The authorization server's clock is ahead of real time and decides every expiry: a test moves it to
 * let tokens expire. Events are still signed with the real time, because a plug-in compares their `iat`
 * and `exp` with its own clock.
 */
function labTerms({ clockOffsetSeconds, forms: _forms, ...rules }: Lab, now: number): Terms {
  return { now: now + clockOffsetSeconds * 1000, rules };
}

/** @throws PlatformError `INSTALLATION_NOT_FOUND` */
export function findInstallation(state: TenantState, pluginId: string): InstallationRecord {
  const installation = state.installations.find((each) => each.pluginId === pluginId);
  if (installation) return installation;
  throw new PlatformError('INSTALLATION_NOT_FOUND', 'No such plug-in is installed');
}

/** Finds an instance of any plug-in of the tenant. @throws PlatformError `INSTANCE_NOT_FOUND` */
export function findInstance(
  state: TenantState,
  instanceId: string,
): { installation: InstallationRecord; instance: PlacedInstance } {
  for (const installation of state.installations) {
    const instance = installation.instances.find((each) => each.instanceId === instanceId);
    if (instance) return { installation, instance };
  }
  throw new PlatformError('INSTANCE_NOT_FOUND', 'No such instance is placed');
}
