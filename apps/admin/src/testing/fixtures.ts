import {
  type AdminSession,
  type CallEntry,
  type DeliveryDetail,
  type FleetDetail,
  type FleetInstallation,
  type FleetSeries,
  hourOf,
  type ParkedHookEntry,
  type Refusals,
  type Run,
  type TimelineEntry,
} from '@dowel/admin-api';

/** The server's clock, years ahead of any browser's. */
export const serverNow = 2_000_000_000_000;

const minute = 60_000;

export const sessionFixture: AdminSession = {
  name: 'ada',
  role: 'owner',
  method: 'code',
  expiresAt: serverNow,
  language: null,
};

export function installationFixture(changes: Partial<FleetInstallation> = {}): FleetInstallation {
  return {
    id: 'acme',
    name: '',
    host: 'acme.example.com',
    issuer: 'https://acme.example.com',
    tenantId: 'f18ddfb6-4bc3-4f2a-9167-2f13ab7e5c39',
    pluginId: '7d9f5f0c-3a7a-4e0e-9c3f-b1a4d3f6e0aa',
    generation: 2,
    state: 'active',
    condition: 'healthy',
    cause: null,
    accessEndsAt: null,
    failingSince: null,
    calls: null,
    nextAttempt: null,
    tries: 0,
    canAsk: true,
    beganAt: serverNow - 1_440 * minute,
    tokenExpiresAt: serverNow + 90_000,
    lastEventAt: serverNow - minute,
    lastFailure: null,
    parkedHooks: 0,
    otherAddress: null,
    ...changes,
  };
}

/** Has been waiting for an event for 44 minutes. */
export function brokenFixture(changes: Partial<FleetInstallation> = {}): FleetInstallation {
  return installationFixture({
    id: 'hooli',
    host: 'hooli.example.com',
    issuer: 'https://hooli.example.com',
    state: 'awaiting',
    condition: 'awaiting',
    cause: 'invalid_grant',
    accessEndsAt: serverNow - 44 * minute,
    nextAttempt: { what: 'trigger', at: serverNow + 72_000 },
    tries: 7,
    tokenExpiresAt: serverNow - 44 * minute,
    lastFailure: { reason: 'invalid_grant', at: serverNow - minute },
    ...changes,
  });
}

/** No refresh has succeeded for 20 minutes; its token is valid for 90 more seconds. */
export function failingFixture(changes: Partial<FleetInstallation> = {}): FleetInstallation {
  return installationFixture({
    id: 'initech',
    host: 'initech.example.com',
    issuer: 'https://initech.example.com',
    state: 'failing',
    condition: 'failing',
    cause: 'server_error',
    accessEndsAt: serverNow + 90_000,
    failingSince: serverNow - 20 * minute,
    tries: 3,
    ...changes,
  });
}

export function uninstalledFixture(changes: Partial<FleetInstallation> = {}): FleetInstallation {
  return installationFixture({
    id: 'wonka',
    host: 'wonka.example.com',
    issuer: 'https://wonka.example.com',
    state: 'uninstalled',
    condition: 'uninstalled',
    ...changes,
  });
}

export function detailFixture(changes: Partial<FleetDetail> = {}): FleetDetail {
  return {
    now: serverNow,
    pluginName: 'Lunch menu',
    installation: installationFixture(),
    since: serverNow - 1_440 * minute,
    token: {
      version: 7,
      issuedAt: serverNow - minute,
      expiresAt: serverNow + 90_000,
      renewsFrom: serverNow + 80_000,
      hasRefreshToken: true,
    },
    scopes: {
      requested: ['plugin:notify'],
      granted: ['plugin:notify'],
      at: serverNow - 1_440 * minute,
      endedAt: null,
    },
    failedCall: null,
    outages: [],
    instanceIds: ['widget-1'],
    srcForm: null,
    drift: [],
    clockSkew: null,
    notes: '',
    pause: null,
    hooksParkedSince: null,
    purgedAt: null,
    ...changes,
  };
}

export function eventEntry(
  changes: Partial<Extract<TimelineEntry, { kind: 'event' }>['entry']> = {},
): TimelineEntry {
  const entry = {
    id: 1,
    event: 'access_token' as const,
    receivedAt: serverNow - minute,
    durationMs: 84,
    status: 201,
    reason: null,
    detail: null,
    ...changes,
  };
  return { kind: 'event', at: entry.receivedAt, entry };
}

export function refreshEntry(
  changes: Partial<Extract<TimelineEntry, { kind: 'refresh' | 'trigger' }>['entry']> = {},
): TimelineEntry {
  const entry = {
    id: 1,
    operation: 'refresh' as const,
    startedAt: serverNow - minute,
    durationMs: 120,
    succeeded: true,
    tokenVersion: 7,
    reason: null,
    ...changes,
  };
  const kind = entry.operation === 'trigger' ? 'trigger' : 'refresh';
  return { kind, at: entry.startedAt, entry };
}

/** Parked 12 minutes ago, after twelve attempts. */
export function hookFixture(changes: Partial<ParkedHookEntry> = {}): ParkedHookEntry {
  const { id, name, host, tenantId, pluginId } = installationFixture();
  return {
    id: 'acme 2 1',
    installation: { id, name, host, tenantId, pluginId },
    hook: 'installed',
    attempts: 12,
    replays: 0,
    occurredAt: serverNow - 90 * minute,
    parkedAt: serverNow - 12 * minute,
    lastError: 'The CRM answered 503.',
    ...changes,
  };
}

/**
 * 24 hours in which 170 installations were broken, until 241 more lost a scope three quarters of an hour ago.
 * An hour of the night is missing.
 */
export function seriesFixture(changes: Partial<FleetSeries> = {}): FleetSeries {
  const stepMs = 5 * minute;
  const from = serverNow - (serverNow % stepMs) - 287 * stepMs;
  const steps = Array.from({ length: 288 }, (_, index) => index);
  const series = (valueAt: (index: number) => number) =>
    steps.map((index) => (index >= 120 && index < 132 ? null : valueAt(index)));
  const broken = series((index) => (index < 279 ? 170 : 411));
  return {
    now: serverNow,
    span: '24h',
    from,
    stepMs,
    countingSince: from - 1_440 * minute,
    groups: {
      working: series(() => 92_421),
      risk: series((index) => 1_262 - Math.floor(index / 8)),
      broken,
      pending: series(() => 6),
      paused: series(() => 12),
      uninstalled: series(() => 5_925),
    },
    broken: { min: broken, max: broken },
    causes: [
      { cause: 'invalid_grant', values: series(() => 84) },
      { cause: 'scope_missing', values: series((index) => (index < 279 ? 8 : 249)) },
    ],
    rates: {
      refreshed: series((index) => 1_000 + (index % 7)),
      refreshFailed: series((index) => (index === 280 ? 7 : 0.5)),
      events: series(() => 12),
      refused: series((index) => (index === 150 ? 32 : 0.4)),
      shed: series(() => 0),
      callsSucceeded: series(() => 480),
      callsFailed: series((index) => (index === 150 ? 90 : 0.2)),
      callsRefused: series(() => 2),
    },
    callMs: { p50: series(() => 64), p95: series(() => 340) },
    ...changes,
  };
}

/** A run that has just begun. */
export function runFixture(changes: Partial<Run> = {}): Run {
  return {
    id: 'run-1',
    action: 'pause',
    reason: 'maintenance',
    who: 'ada',
    state: 'running',
    startedAt: serverNow,
    endedAt: null,
    total: 3,
    done: 0,
    unchanged: 0,
    refused: 0,
    failed: 0,
    refusals: {},
    ...changes,
  };
}

/** A failed call. */
export function callFixture(changes: Partial<CallEntry> = {}): CallEntry {
  const { id, name, host, tenantId, pluginId } = installationFixture();
  return {
    id: 'call-1',
    installation: { id, name, host, tenantId, pluginId },
    count: 1,
    firstAt: serverNow - minute,
    lastAt: serverNow - minute,
    operation: 'listUsers',
    method: 'GET',
    path: '/api/users/{id}',
    host: 'api.example.com',
    status: 503,
    reason: 'platform_5xx',
    fault: null,
    durationMs: 120,
    attempts: 1,
    requestId: 'request-1',
    userId: null,
    answer: 'Down for maintenance',
    ...changes,
  };
}

/** The refusals of a day. */
export function refusalsFixture(changes: Partial<Refusals> = {}): Refusals {
  const from = hourOf(serverNow - 24 * 60 * minute);
  return { now: serverNow, from, reasons: [], ...changes };
}

/** A forged event. */
export function deliveryFixture(changes: Partial<DeliveryDetail> = {}): DeliveryDetail {
  return {
    id: 'forged',
    at: serverNow - 240 * minute,
    event: 'install',
    plugin: '',
    installationId: null,
    name: '',
    host: 'brambleworks.example',
    isVerified: false,
    status: 400,
    reason: 'signature_invalid',
    isRepeat: false,
    durationMs: 3,
    offBySeconds: null,
    sender: '198.51.100.24',
    requestId: '5f0c7d9f-3a7a-4e0e-9c3f-b1a4d3f6e0aa',
    body: '{"code":401,"message":"The event was not accepted"}',
    claims: [{ name: 'iss', value: 'https://brambleworks.example' }],
    ...changes,
  };
}
