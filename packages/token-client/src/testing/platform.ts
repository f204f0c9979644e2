/**
 * A platform on loopback: token endpoint, API and trigger of any number of installations, before a real OAuth
 * server. It counts requests, and fails according to each installation's faults.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { meetFault, sendTokenAnswer, type TokenAnswer } from '@dowel/emulator/authorization-server';
import type { AccessTokenEventPayload } from '@dowel/schema';
import type { AuthorizationServer, AuthorizationServerFactory } from './authorization-server.ts';
import { PlatformInstallation } from './platform-installation.ts';

interface PlatformContext {
  readonly origin: string;
  readonly authorizationServer: AuthorizationServer;
  readonly installations: Map<string, PlatformInstallation>;
  /** The owner and the state of each secret of a token answer. */
  readonly secrets: Map<string, { owner: PlatformInstallation; isSpent: boolean }>;
  readonly deliveries: Set<Promise<unknown>>;
  deliver: (event: AccessTokenEventPayload) => Promise<unknown>;
}

export async function startPlatform(createAuthorizationServer: AuthorizationServerFactory) {
  const authorizationServer = await createAuthorizationServer();
  // Longer than a process of a test sleeps, so that its connections are still open afterwards.
  const server = createServer({ keepAliveTimeout: 120_000 });
  await new Promise<void>((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve),
  );
  const context: PlatformContext = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorizationServer,
    installations: new Map(),
    secrets: new Map(),
    deliveries: new Set(),
    deliver: async () => {},
  };
  server.on('request', (request, response) => {
    handle(context, request, response).catch(() => response.destroy());
  });

  return {
    origin: context.origin,

    async addInstallation({ rotates = true } = {}): Promise<PlatformInstallation> {
      const installation = new PlatformInstallation(context.origin, rotates);
      await authorizationServer.register(installation);
      context.installations.set(installation.tenantId, installation);
      return installation;
    },

    /** Resolves when the receiver of the event has answered. */
    sendEvent: (installation: PlatformInstallation) => sendEvent(context, installation),

    /** The receiver of the events; one at a time. */
    onEvent(receiver: PlatformContext['deliver']): void {
      context.deliver = receiver;
    },

    revokeAccessTokens: ({ clientId }: PlatformInstallation) =>
      authorizationServer.revokeAccessTokens(clientId),
    revokeGrants: ({ clientId }: PlatformInstallation) =>
      authorizationServer.revokeGrants(clientId),

    async close(): Promise<void> {
      await Promise.allSettled(context.deliveries);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await authorizationServer.close();
    },
  };
}

async function handle(
  context: PlatformContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', context.origin);
  const [, , tenantId = '', resource] = url.pathname.split('/');
  const body = (await request.toArray()).join('');
  const installation = context.installations.get(tenantId);
  if (!installation) return sendTokenAnswer(response, { status: 404, body: {} });
  const { authorization } = request.headers;
  switch (resource) {
    case 'token': {
      const parameters = new URLSearchParams(url.search || body);
      return answerTokenRequest(context, { installation, parameters, authorization, response });
    }
    case 'trigger':
      return answerTrigger(context, { installation, body, response });
    default:
      return answerCall(context, { installation, resource, authorization, response });
  }
}

interface Addressed {
  installation: PlatformInstallation;
  response: ServerResponse;
}

async function answerTokenRequest(
  context: PlatformContext,
  request: Addressed & { parameters: URLSearchParams; authorization: string | undefined },
): Promise<void> {
  const { installation, parameters, authorization, response } = request;
  const { tally } = installation;
  const isRefresh = parameters.get('grant_type') === 'refresh_token';
  const presented = parameters.get(isRefresh ? 'refresh_token' : 'code') ?? '';
  if (isRefresh) {
    tally.beginRefresh(presented);
    response.once('close', () => tally.endRefresh());
  } else tally.exchanges += 1;
  const fault = isRefresh
    ? (installation.refreshFaults.shift() ?? installation.standingFault)
    : (installation.exchangeFaults.shift() ?? {});

  let hasTokens = false;
  const answer = await meetFault(fault, async () => {
    countUse(context, installation, presented);
    const { clientId } = installation;
    const given = await context.authorizationServer.answer(clientId, { parameters, authorization });
    hasTokens = given.status === 200;
    if (hasTokens) keep(context, { owner: installation, presented, answer: given });
    return given;
  });
  if (hasTokens && answer !== 'lost') tally.issued += 1;
  sendTokenAnswer(response, answer);
}

function countUse(
  { secrets }: PlatformContext,
  { tenantId, tally }: PlatformInstallation,
  presented: string,
): void {
  const secret = secrets.get(presented);
  if (secret?.isSpent) tally.reuses += 1;
  if (secret && secret.owner.tenantId !== tenantId) tally.strangers += 1;
}

interface IssuedAnswer {
  owner: PlatformInstallation;
  presented: string;
  answer: TokenAnswer;
}

function keep({ secrets }: PlatformContext, { owner, presented, answer }: IssuedAnswer): void {
  const { access_token, refresh_token } = answer.body as Record<string, string | undefined>;
  if (owner.rotates) secrets.set(presented, { owner, isSpent: true });
  for (const secret of [access_token, refresh_token]) {
    if (secret !== undefined) secrets.set(secret, { owner, isSpent: false });
  }
}

async function answerTrigger(
  context: PlatformContext,
  { installation, body, response }: Addressed & { body: string },
): Promise<void> {
  installation.tally.triggers += 1;
  const { triggerAnswer, triggerToken, sendsEvents, eventDelayMs } = installation;
  if (body !== JSON.stringify({ token: triggerToken })) {
    installation.tally.strangers += 1;
    return sendTokenAnswer(response, { status: 403, body: {} });
  }
  await installation.beforeTriggerAnswer();
  sendTokenAnswer(response, triggerAnswer);
  if (!sendsEvents || triggerAnswer.status >= 300) return;
  await sleep(eventDelayMs);
  await sendEvent(context, installation);
}

async function answerCall(
  { authorizationServer, secrets }: PlatformContext,
  {
    installation,
    resource = '',
    authorization,
    response,
  }: Addressed & Record<'resource' | 'authorization', string | undefined>,
): Promise<void> {
  const { tally, clientId, refusedPaths } = installation;
  const refusesCall = installation.refusesEveryCall || refusedPaths.includes(resource);
  const accessToken = authorization?.replace(/^Bearer /, '') ?? '';
  const owner = secrets.get(accessToken)?.owner ?? installation;
  if (owner !== installation) tally.strangers += 1;
  const isAlive = await authorizationServer.isAlive(clientId, accessToken);
  const status = isAlive && !refusesCall ? 201 : 401;
  if (status === 201) tally.accepted += 1;
  else tally.refused += 1;
  await installation.beforeCallAnswer(status);
  sendTokenAnswer(response, { status, body: {} });
}

async function sendEvent(
  { authorizationServer, deliveries, deliver }: PlatformContext,
  installation: PlatformInstallation,
): Promise<void> {
  const delivery = createEvent(installation, authorizationServer).then(deliver);
  deliveries.add(delivery);
  await delivery.finally(() => deliveries.delete(delivery));
}

async function createEvent(
  installation: PlatformInstallation,
  authorizationServer: AuthorizationServer,
): Promise<AccessTokenEventPayload> {
  const { tenantId, pluginId, clientId, clientSecret, triggerToken, baseUrl } = installation;
  const trigger = {
    url: '/trigger',
    method: 'POST' as const,
    body: JSON.stringify({ token: triggerToken }),
  };
  const iat = Math.floor(Date.now() / 1000);
  return {
    iss: baseUrl,
    iat,
    exp: iat + 60,
    sub: 'access_token',
    tenantId,
    pluginId,
    base_url: baseUrl,
    client: {
      client_id: clientId,
      client_secret: clientSecret,
      authorization_code: await authorizationServer.createCode(clientId),
      token_endpoint_url: '/token',
      ...(installation.hasTrigger && { trigger_event: trigger }),
    },
  };
}
