/** What the platform remembers of one tenant, in memory. */
import type { LifecycleEventName, Manifest, Notification } from '@dowel/schema';
import { type AuthorizationServer, createAuthorizationServer } from './authorization-server.ts';
import { type BoundedLog, createBoundedLog } from './bounded-log.ts';
import type { Delivery, Instance, Lab, Plugins, Tenant } from './control-api.ts';
import { PlatformError } from './errors.ts';
import type { TenantSeed } from './tenants.ts';

export interface InstallationRecord {
  readonly pluginId: string;
  readonly manifestUrl: string;
  manifest: Manifest;
  readonly installedAt: number;
  readonly instances: Map<string, PlacedInstance>;
  updating: boolean;
}

export interface PlacedInstance extends Pick<Instance, 'instanceId' | 'url' | 'height'> {
  readonly entryPointId: string;
}

type DeliveryRecord = Omit<Delivery, 'id'> & { event: LifecycleEventName; pluginId: string };
type TokenRequestRecord = Omit<Plugins['tokenRequests'][number], 'id'>;

interface ReceivedNotificationRecord {
  readonly recipientId: string;
  readonly pluginId: string;
  readonly pluginName: Record<string, string>;
  readonly instanceId: string;
  readonly receivedAt: number;
  readonly notification: Notification;
}

export interface TenantState {
  readonly tenant: Tenant;
  readonly slug: string;
  readonly lab: Lab;
  readonly installations: Map<string, InstallationRecord>;
  readonly authorizationServer: AuthorizationServer;
  readonly deliveries: BoundedLog<DeliveryRecord>;
  readonly tokenRequests: BoundedLog<TokenRequestRecord>;
  readonly notifications: BoundedLog<ReceivedNotificationRecord>;
}

export function createTenantState(
  { slug, ...seed }: TenantSeed,
  { origin, now }: { origin: string; now: () => number },
): TenantState {
  const lab: Lab = {
    clockOffsetSeconds: 0,
    accessTokenLifetimeSeconds: 3600,
    grantedScopes: ['plugin:notify'],
    rotateRefreshTokens: false,
  };
  return {
    tenant: { ...seed, baseUrl: `${origin}/t/${slug}` },
    slug,
    lab,
    installations: new Map(),
    authorizationServer: createAuthorizationServer({ lab, now }),
    deliveries: createBoundedLog(),
    tokenRequests: createBoundedLog(),
    notifications: createBoundedLog(),
  };
}

/** @throws PlatformError `INSTALLATION_NOT_FOUND` */
export function findInstallation(state: TenantState, pluginId: string): InstallationRecord {
  const installation = state.installations.get(pluginId);
  if (installation) return installation;
  throw new PlatformError('INSTALLATION_NOT_FOUND', 'No such plug-in is installed');
}
