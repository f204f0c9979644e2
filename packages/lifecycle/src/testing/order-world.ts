/**
 * Two instances of the product on one database, with the real token client and a real token endpoint. Events
 * enter after the verifier, which has its own tests and does not depend on the order.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Store, StoreError } from '@dowel/installation-store';
import type { TestDatabase } from '@dowel/installation-store/testing';
import { describeInstallation } from '@dowel/installation-store/testing';
import { type LifecycleEvent, lifecycleEventSchemas } from '@dowel/schema';
import { createTokenClient } from '@dowel/token-client';
import type { EventAnswer } from '../event-answer.ts';
import { createLifecycle } from '../lifecycle.ts';
import type { Outcome } from './expected-outcome.ts';
import type { Delivery, OrderedHistory } from './histories.ts';

const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';
const scope = 'plugin:notify';

const unavailable: EventAnswer = {
  status: 503,
  body: { code: 500, message: 'Try again later' },
  reason: 'internal_error',
  retryAfterSeconds: 1,
};

/** More tries than a busy machine needs. */
const maxDeliveries = 10;

interface OrderContext {
  readonly origin: string;
  /** Two processes on one database. */
  readonly processes: readonly [OrderProcess, OrderProcess];
}

/** The token endpoint of all tenants; its keys are a tenant and a code. */
interface TokenEndpoint {
  /** How many requests it answered. */
  readonly exchanges: Map<string, number>;
  readonly refused: Set<string>;
  /** The next exchange of these codes finds the token endpoint down. */
  readonly postponed: Set<string>;
}

export type OrderWorld = Awaited<ReturnType<typeof startOrderWorld>>;

export async function startOrderWorld(database: TestDatabase) {
  const endpoint: TokenEndpoint = {
    exchanges: new Map(),
    refused: new Set(),
    postponed: new Set(),
  };
  const server = createServer((request, response) => {
    answerTokenRequest(endpoint, request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const processes = [
    startProcess(await database.open(), origin),
    startProcess(await database.open(), origin),
  ] as const;
  const context: OrderContext = { origin, processes };

  return {
    /** @param process its parity selects one of the two. */
    deliver: (tenantId: string, delivery: Delivery, process: number) =>
      deliver(context, { tenantId, delivery, process }),

    /** Delivers an event until it is decided, like a platform after a temporary refusal. */
    deliverAgain: (tenantId: string, delivery: Delivery, process: number) =>
      deliverAgain(context, { tenantId, delivery, process }),

    prepare(tenantId: string, { refusedCodes, postponedCodes }: OrderedHistory): void {
      for (const code of refusedCodes) endpoint.refused.add(`${tenantId} ${code}`);
      for (const code of postponedCodes) endpoint.postponed.add(`${tenantId} ${code}`);
    },

    exchangesOf: (tenantId: string, code: string) =>
      endpoint.exchanges.get(`${tenantId} ${code}`) ?? 0,

    /** The stored state, in the model's terms. */
    look: (tenantId: string) => look(context, tenantId),

    async stop() {
      for (const { lifecycle, client } of processes) {
        await Promise.all([lifecycle.drain(), client.drain()]);
      }
      server.closeAllConnections();
      server.close();
      await database.destroy();
    },
  };
}

type OrderProcess = ReturnType<typeof startProcess>;

function startProcess(store: Store, origin: string) {
  const client = createTokenClient({ store, internalOrigins: [origin] });
  const lifecycle = createLifecycle({ store, tokenClient: client, requestedScopes: [scope] });
  return { store, client, lifecycle };
}

function answerTokenRequest(
  { exchanges, refused, postponed }: TokenEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, tenantId = ''] = url.pathname.split('/');
  const code = url.searchParams.get('code') ?? '';
  const key = `${tenantId} ${code}`;
  if (postponed.delete(key)) {
    response.writeHead(503).end();
    return;
  }
  exchanges.set(key, (exchanges.get(key) ?? 0) + 1);
  const isRefused = refused.has(key);
  response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isRefused ? { error: 'invalid_grant' } : tokensOf(tenantId, code)));
}

function tokensOf(tenantId: string, code: string) {
  return {
    access_token: `${tenantId}/${code}`,
    token_type: 'bearer',
    expires_in: 3_600,
    scope,
    tenant: tenantId,
  };
}

interface SentEvent {
  tenantId: string;
  delivery: Delivery;
  process: number;
}

async function deliver({ origin, processes }: OrderContext, sent: SentEvent): Promise<EventAnswer> {
  const { lifecycle } = processes[sent.process % 2 === 0 ? 0 : 1];
  try {
    return await lifecycle.accept(eventOf(origin, sent));
  } catch (error) {
    // Answers like the back end. On a busy machine, a connection may take too long.
    if (error instanceof StoreError && error.code === 'DATABASE_UNAVAILABLE') return unavailable;
    throw error;
  }
}

async function deliverAgain(context: OrderContext, sent: SentEvent): Promise<EventAnswer> {
  for (let deliveries = 1; ; deliveries += 1) {
    const answer = await deliver(context, sent);
    if (answer.retryAfterSeconds === undefined || deliveries === maxDeliveries) return answer;
  }
}

function eventOf(origin: string, { tenantId, delivery }: SentEvent): LifecycleEvent {
  const { name, iat, jti, code, instanceId } = delivery;
  const issuer = `${origin}/${tenantId}`;
  const claims = {
    iss: issuer,
    sub: name,
    iat,
    exp: iat + 60,
    jti,
    tenantId,
    pluginId,
    instanceId,
  };
  const client = {
    client_id: 'client',
    client_secret: 'secret',
    authorization_code: code,
    token_endpoint_url: 'token',
  };
  return lifecycleEventSchemas[name].parse(
    code === undefined ? claims : { ...claims, base_url: issuer, client },
  );
}

async function look({ origin, processes }: OrderContext, tenantId: string): Promise<Outcome> {
  const [{ store }] = processes;
  const key = { issuer: `${origin}/${tenantId}`, tenantId, pluginId };
  const found = await store.installations.find(key);
  if (!found) return { status: 'unknown', code: null, instances: [] };
  const grant = await store.grants.load(found.id);
  const code = grant ? (grant.accessToken.reveal().split('/').at(-1) ?? '') : null;
  const report = await describeInstallation(store, found.id);
  const instances = report?.instanceIds.toSorted() ?? [];
  return { status: found.status as Outcome['status'], code, instances };
}
