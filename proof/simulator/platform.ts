/** The simulated platform's endpoints, all tenants behind one network: token, trigger and API. */
import type { Rules } from '@dowel/emulator/authorization-server';
import type { AccessCheck } from './checks/access-check.ts';
import type { Fate, NetworkAnswer, NetworkHost, NetworkRequest } from './network.ts';
import { NetworkError } from './network-error.ts';
import type { Simulation } from './simulation.ts';
import { type Tenant, tenantRules } from './tenant.ts';

export const tokenPath = '/oauth/token';
export const triggerPath = '/trigger';

/** The part of a tenant's platform that fails. */
export type Part = 'token endpoint' | 'trigger' | 'API';

interface Outage {
  tenant: Tenant;
  part: Part;
  fate: Fate;
  until: number;
}

interface PlatformContext {
  readonly simulation: Simulation;
  readonly tenants: readonly Tenant[];
  readonly outages: Set<Outage>;
  readonly onTrigger: (tenant: Tenant) => void;
}

export type Platform = ReturnType<typeof createPlatform>;

export function createPlatform(
  simulation: Simulation,
  tenants: readonly Tenant[],
  { check, onTrigger }: { check: AccessCheck; onTrigger: (tenant: Tenant) => void },
) {
  const context: PlatformContext = { simulation, tenants, outages: new Set(), onTrigger };
  /** Requests that wait until another one of their kind took effect. */
  const overtaken = new Map<string, (() => void)[]>();

  const kindOf = (request: NetworkRequest) =>
    `${tenantOf(context, request).name} ${partOf(request)}`;

  const host: NetworkHost = {
    fateOf: (request) => fateOf(context, request),

    sent: (process, request) => check.sent(process, tenantOf(context, request), request),

    afterNext(request, arrive) {
      const kind = kindOf(request);
      overtaken.set(kind, [...(overtaken.get(kind) ?? []), arrive]);
    },

    handle(request) {
      const answer = handle(context, request);
      const kind = kindOf(request);
      for (const arrive of overtaken.get(kind) ?? []) simulation.scheduler.after(1, arrive);
      overtaken.delete(kind);
      return answer;
    },
  };

  return {
    host,

    breakDown(tenant: Tenant, part: Part, fate: Fate, forMs: number): void {
      const { log, scheduler } = simulation;
      log(tenant.name, `its ${part} is out of order for ${Math.round(forMs)} ms: ${fate}`);
      context.outages.add({ tenant, part, fate, until: scheduler.now() + forMs });
    },

    repair: () => context.outages.clear(),
  };
}

function tenantOf({ tenants, simulation }: PlatformContext, { url }: NetworkRequest): Tenant {
  const tenant = tenants.find(({ baseUrl }) => url.href.startsWith(baseUrl));
  if (tenant) return tenant;
  simulation.violate(
    'a secret goes to its own platform only',
    `a request to ${url.origin}${url.pathname}`,
  );
  throw new NetworkError('ENOTFOUND');
}

function fateOf(context: PlatformContext, request: NetworkRequest): Fate | undefined {
  const { simulation, outages } = context;
  const tenant = tenantOf(context, request);
  for (const outage of outages) {
    if (outage.until <= simulation.scheduler.now()) outages.delete(outage);
    else if (outage.tenant === tenant && outage.part === partOf(request)) return outage.fate;
  }
  return undefined;
}

function handle(context: PlatformContext, request: NetworkRequest): NetworkAnswer {
  const tenant = tenantOf(context, request);
  switch (partOf(request)) {
    case 'token endpoint':
      return answerTokenRequest(context, tenant, request);
    case 'trigger':
      return answerTrigger(context, tenant, request.body);
    default:
      return answerCall(context, tenant, request.headers);
  }
}

function answerTokenRequest(
  { simulation }: PlatformContext,
  tenant: Tenant,
  { url, headers }: NetworkRequest,
): NetworkAnswer {
  const { scheduler, random, climate, log } = simulation;
  const { tokens, lifetimeSeconds, graceMs, endsOlderGrants } = climate();
  const saysLifetime = !random.chance(tokens.lifetimeUnsaid);
  const rules: Rules = {
    ...tenantRules,
    accessTokenLifetimeSeconds: lifetimeSeconds,
    reuseGraceMs: graceMs,
    exchangeEndsOlderGrants: endsOlderGrants,
    givesRefreshToken: !random.chance(tokens.refreshTokenMissing),
    refreshTokens: random.chance(tokens.refreshTokenKept) ? 'omit' : 'rotate',
  };
  const authorization = headers.get('authorization') ?? undefined;
  const request = { parameters: url.searchParams, authorization };
  const answer = tenant.answer(request, { now: scheduler.now(), rules });
  const body = answer.body as Record<string, string | undefined>;
  const { access_token, refresh_token = 'no refresh token', error } = body;
  log(tenant.name, error ?? `issues ${access_token} and ${refresh_token}`);
  if (!saysLifetime) delete body.expires_in;
  return { status: answer.status, body: JSON.stringify(body) };
}

function answerTrigger(
  { simulation, onTrigger }: PlatformContext,
  tenant: Tenant,
  body: string,
): NetworkAnswer {
  const life = tenant.life();
  const isTaken =
    life !== undefined &&
    life.state !== 'ended' &&
    body === JSON.stringify({ token: life.client.triggerToken });
  if (!isTaken) return { status: 403, body: '{}' };
  onTrigger(tenant);
  return { status: simulation.random.pick([200, 202]), body: '{}' };
}

function answerCall(
  { simulation }: PlatformContext,
  tenant: Tenant,
  headers: Headers,
): NetworkAnswer {
  const accessToken = headers.get('authorization')?.replace('Bearer ', '') ?? '';
  const status = tenant.accepts(accessToken, simulation.scheduler.now()) ? 200 : 401;
  return { status, body: '{}' };
}

export function partOf({ url }: NetworkRequest): Part {
  if (url.pathname.endsWith(tokenPath)) return 'token endpoint';
  return url.pathname.endsWith(triggerPath) ? 'trigger' : 'API';
}
