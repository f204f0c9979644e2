/** For tests only: operations with a real store, a real token client and a platform on a socket. */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { Installation, Store } from '@dowel/installation-store';
import { sqlite } from '@dowel/installation-store/testing';
import { defaultPlatformProfile, Secret } from '@dowel/schema';
import { createTokenClient, type TokenClient, type TokenClientOptions } from '@dowel/token-client';
import { createShapeTally } from '../../base/shape-tally.ts';
import type { Log } from '../../log/log.ts';
import type { Observation } from '../../observation.ts';
import {
  defaultNotificationLimits,
  type NotificationLimits,
} from '../../platform/notification-limits.ts';
import type { ServerRequest } from '../../request/server-request.ts';
import { createOpaqueToken, hashToken } from '../../sessions/opaque-token.ts';
import { closeHost, listenOnLoopback } from '../../testing/loopback.ts';
import { createCallGate } from '../call-limits.ts';
import type { OperationTable } from '../operation.ts';
import { readOperations } from '../operation-table.ts';
import { type OperationsContext, runOperation } from '../run-operation.ts';

export interface OperationWorld extends AsyncDisposable {
  store: Store;
  tokenClient: TokenClient;
  context: OperationsContext;
  installation: Installation;
  /** The session token of the user `u-1` in the widget `w-1`. */
  session: string;
  /** The log lines: level, fields and message as text. */
  logs: string[];
  observed: Observation[];
  /** Milliseconds of the limits' clock. */
  clock: { ms: number };
  call(name: string, input: unknown, changes?: Partial<CallChanges>): Promise<CallAnswer>;
  openSession(userId: string): Promise<string>;
  /** Stores tokens with these scopes. Their platform is at `baseUrl`; default: the world's. */
  grant(scopes: string[], baseUrl?: string, changes?: Partial<Granted>): Promise<void>;
  /** The platform's origin. */
  origin: string;
}

type WorldOptions = Pick<TokenClientOptions, 'timer'> & { notificationLimits?: NotificationLimits };

/** The generation of the tokens, and the time at which their event was signed. */
interface Granted {
  installation: Installation;
  iat: number;
}

interface CallChanges {
  session: string;
  method: string;
  headers: Record<string, string>;
  /** The raw body, instead of the input. */
  body: () => Promise<Uint8Array>;
  signal: AbortSignal;
}

interface CallAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** Creates the world with one installation, its session and its tokens. */
export async function createOperationWorld(
  operations: OperationTable,
  answerPlatform: RequestListener = (_request, response) => response.end('{}'),
  { notificationLimits = defaultNotificationLimits, ...options }: WorldOptions = {},
): Promise<OperationWorld> {
  const platform = createServer(answerPlatform);
  const origin = await listenOnLoopback(platform);
  const database = await sqlite.create();
  const store = await database.open();
  const key = { issuer: origin, tenantId: randomUUID(), pluginId: randomUUID() };
  const installation = await store.transaction(({ installations }) =>
    installations.begin(key, 1, 1),
  );
  const tokenClient = createTokenClient({ store, internalOrigins: [origin], ...options });
  const { log: logger, logs } = createMemoryLog();
  const clock = { ms: 0 };
  const observed: Observation[] = [];
  const context: OperationsContext = {
    ...readTable(operations, notificationLimits),
    store,
    ...anyPlugin,
    tokenClient,
    profile: defaultPlatformProfile,
    shapes: createTally(store, logger),
    gate: createCallGate(() => clock.ms),
    logger,
    observe: (observation) => observed.push(observation),
    now: Date.now,
  };
  let iat = 1;
  const world: OperationWorld = {
    store,
    tokenClient,
    context,
    installation,
    session: '',
    logs,
    observed,
    clock,
    async call(name, input, changes = {}) {
      const request = toRequest(name, input, { session: world.session, ...changes });
      const { status, headers = {}, body } = await runOperation(context, request);
      return { status, headers, body: JSON.parse(String(body)) };
    },
    openSession: (userId) => openSession(store, installation, userId),
    origin,
    async grant(scopes, baseUrl = origin, changes = {}) {
      iat += 1;
      await grant(store, { installation, iat, scopes, baseUrl, ...changes });
    },
    async [Symbol.asyncDispose]() {
      await tokenClient.drain();
      await closeHost(platform);
      await database.destroy();
    },
  };
  await world.grant(['plugin:notify']);
  world.session = await world.openSession('u-1');
  return world;
}

const anyPlugin = { ownPlugins: { has: () => true }, plugin: { name: '' } };

function createTally(store: Store, logger: Log) {
  return createShapeTally({ store, database: { isAvailable: true }, logger, now: Date.now });
}

function readTable(operations: OperationTable, notificationLimits: NotificationLimits) {
  const options = { requestedScopes: ['plugin:notify'], notificationLimits };
  return { operations: readOperations(operations, options), notificationLimits };
}

async function openSession(
  store: Store,
  { id: installationId, generation }: Installation,
  userId: string,
): Promise<string> {
  const token = createOpaqueToken();
  const expiresAt = Date.now() + 60 * 60_000;
  const session = { installationId, generation, userId, instanceId: 'w-1', expiresAt };
  await store.transaction(({ sessions }) =>
    sessions.createPluginSession(hashToken(token), session, randomUUID()),
  );
  return token;
}

async function grant(
  store: Store,
  { installation, iat, scopes, baseUrl }: Granted & { scopes: string[]; baseUrl: string },
): Promise<void> {
  const access = {
    baseUrl,
    clientId: 'client',
    clientSecret: new Secret('canary-client-secret'),
    tokenEndpointUrl: '/token',
    trigger: null,
  };
  const tokens = {
    accessToken: new Secret('canary-access'),
    refreshToken: null,
    grantedScopes: scopes,
    issuedAt: Date.now(),
    expiresAt: null,
  };
  await store.transaction(({ grants }) =>
    grants.replace(installation, access, tokens, { iat, newestIat: iat }),
  );
}

function createMemoryLog(): { log: Log; logs: string[] } {
  const logs: string[] = [];
  const write =
    (level: string) =>
    (fields: object | string, message = '') => {
      const errors = Object.values(fields).filter((value) => value instanceof Error);
      const texts = errors.map((error: Error) => String(error));
      logs.push([level, JSON.stringify(fields), ...texts, message].join(' '));
    };
  const log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { log, logs };
}

function toRequest(
  name: string,
  input: unknown,
  { session, method = 'POST', headers = {}, body, signal }: Partial<CallChanges>,
): ServerRequest {
  const all: Record<string, string> = {
    authorization: `Bearer ${session}`,
    'content-type': 'application/json',
    ...headers,
  };
  return {
    method,
    path: `/api/${name}`,
    query: new URLSearchParams(),
    header: (each) => all[each],
    address: '127.0.0.1',
    requestId: 'request-1',
    signal: signal ?? new AbortController().signal,
    body: body ?? (async () => Buffer.from(JSON.stringify(input) ?? '')),
    isRecorded: false,
  };
}
