import type {
  AdminSession,
  EventRecord,
  InstallationDetail,
  InstallationSummary,
  TokenOperation,
} from '@dowel/schema';

/** The server's clock, years ahead of any browser's. */
export const serverNow = 2_000_000_000_000;

export const sessionFixture: AdminSession = {
  name: 'ada',
  role: 'owner',
  method: 'code',
  expiresAt: serverNow,
};

export function installationFixture(
  changes: Partial<InstallationSummary> = {},
): InstallationSummary {
  return {
    id: 'acme',
    issuer: 'https://acme.example.com',
    tenantId: 'f18ddfb6-4bc3-4f2a-9167-2f13ab7e5c39',
    pluginId: '7d9f5f0c-3a7a-4e0e-9c3f-b1a4d3f6e0aa',
    status: 'active',
    generation: 2,
    grantedScopes: ['plugin:notify'],
    accessToken: { version: 7, issuedAt: serverNow - 60_000, expiresAt: serverNow + 90_000 },
    hasRefreshToken: true,
    instanceCount: 1,
    createdAt: serverNow - 86_400_000,
    lastEvent: eventFixture(),
    lastError: null,
    ...changes,
  };
}

export function eventFixture(changes: Partial<EventRecord> = {}): EventRecord {
  return {
    id: 1,
    event: 'access_token',
    receivedAt: serverNow - 90_000,
    durationMs: 84,
    status: 201,
    reason: null,
    ...changes,
  };
}

export function tokenOperationFixture(changes: Partial<TokenOperation> = {}): TokenOperation {
  return {
    id: 1,
    operation: 'refresh',
    startedAt: serverNow - 60_000,
    durationMs: 120,
    succeeded: true,
    tokenVersion: 7,
    reason: null,
    ...changes,
  };
}

export function detailFixture(changes: Partial<InstallationDetail> = {}): InstallationDetail {
  return {
    now: serverNow,
    pluginName: 'Lunch menu',
    installation: installationFixture(),
    requestedScopes: ['plugin:notify'],
    instanceIds: ['widget-1'],
    events: [eventFixture()],
    tokenOperations: [tokenOperationFixture()],
    ...changes,
  };
}
