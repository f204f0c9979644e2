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

export async function startPlatform(createAuthorizationServer: AuthorizationServerFactory) {
  const authorizationServer = await createAuthorizationServer();
  const installations = new Map<string, PlatformInstallation>();
  /** The owner and the state of each secret of a token answer. */
  const secrets = new Map<string, { owner: PlatformInstallation; isSpent: boolean }>();
  const deliveries = new Set<Promise<unknown>>();
  let deliver: (event: AccessTokenEventPayload) => Promise<unknown> = async () => {};

  // Longer than a process of a test sleeps, so that its connections are still open afterwards.
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve),
  );
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin);
    const [, , tenantId = '', resource] = url.pathname.split('/');
    const body = (await request.toArray()).join('');
    const installation = installations.get(tenantId);
    if (!installation) return sendTokenAnswer(response, { status: 404, body: {} });
    const { authorization } = request.headers;
    switch (resource) {
      case 'token': {
        const parameters = new URLSearchParams(url.search || body);
        return answerTokenRequest({ installation, parameters, authorization, response });
      }
      case 'trigger':
        return answerTrigger(installation, body, response);
      default:
        return answerCall(installation, { resource, authorization }, response);
    }
  }

  async function answerTokenRequest(request: {
    installation: PlatformInstallation;
    parameters: URLSearchParams;
    authorization: string | undefined;
    response: ServerResponse;
  }): Promise<void> {
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
      countUse(installation, presented);
      const request = { parameters, authorization };
      const given = await authorizationServer.answer(installation.clientId, request);
      hasTokens = given.status === 200;
      if (hasTokens) keep(installation, presented, given);
      return given;
    });
    if (hasTokens && answer !== 'lost') tally.issued += 1;
    sendTokenAnswer(response, answer);
  }

  function countUse({ tenantId, tally }: PlatformInstallation, presented: string): void {
    const secret = secrets.get(presented);
    if (secret?.isSpent) tally.reuses += 1;
    if (secret && secret.owner.tenantId !== tenantId) tally.strangers += 1;
  }

  function keep(owner: PlatformInstallation, presented: string, { body }: TokenAnswer): void {
    const { access_token, refresh_token } = body as Record<string, string | undefined>;
    if (owner.rotates) secrets.set(presented, { owner, isSpent: true });
    for (const secret of [access_token, refresh_token]) {
      if (secret !== undefined) secrets.set(secret, { owner, isSpent: false });
    }
  }

  async function answerTrigger(
    installation: PlatformInstallation,
    body: string,
    response: ServerResponse,
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
    await sendEvent(installation);
  }

  async function answerCall(
    installation: PlatformInstallation,
    { resource = '', authorization }: Record<'resource' | 'authorization', string | undefined>,
    response: ServerResponse,
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

  /** Resolves when the receiver of the event has answered. */
  async function sendEvent(installation: PlatformInstallation): Promise<void> {
    const delivery = createEvent(installation, authorizationServer).then(deliver);
    deliveries.add(delivery);
    await delivery.finally(() => deliveries.delete(delivery));
  }

  return {
    origin,

    async addInstallation({ rotates = true } = {}): Promise<PlatformInstallation> {
      const installation = new PlatformInstallation(origin, rotates);
      await authorizationServer.register(installation);
      installations.set(installation.tenantId, installation);
      return installation;
    },

    sendEvent,

    /** The receiver of the events; one at a time. */
    onEvent(receiver: (event: AccessTokenEventPayload) => Promise<unknown>): void {
      deliver = receiver;
    },

    revokeAccessTokens: ({ clientId }: PlatformInstallation) =>
      authorizationServer.revokeAccessTokens(clientId),
    revokeGrants: ({ clientId }: PlatformInstallation) =>
      authorizationServer.revokeGrants(clientId),

    async close(): Promise<void> {
      await Promise.allSettled(deliveries);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await authorizationServer.close();
    },
  };
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
