/** Every request that leaves a process: whose secrets it carries, and whether it may be sent at all. */
import type {
  ExchangeIntent,
  Installation,
  Lease,
  LeaseOutcome,
  TriggerClaim,
} from '@dowel/installation-store';
import type { StoreWitness } from '../database-link.ts';
import type { Exchange, NetworkRequest } from '../network.ts';
import { partOf } from '../platform.ts';
import type { SimulatedProcess } from '../simulated-process.ts';
import { type Simulation, secretMark } from '../simulation.ts';
import type { Situation } from '../situations.ts';
import type { Tenant } from '../tenant.ts';
import { createPresentations, type Presentation } from './presentations.ts';
import { createRates } from './rates.ts';
import type { StoredState } from './stored-state.ts';

export type AccessCheck = ReturnType<typeof createAccessCheck>;

interface Hold {
  at: number;
  version: string;
  /** The first of this version. */
  isOnly: boolean;
}

/** One request of a call. */
interface Attempt {
  accessToken: string;
  status: number | undefined;
  endedAt: number;
}

/** With the token in memory, with one in the store, with a fresh one, and with one that is in no doubt. */
const maxAttempts = 4;

/** Names the call that a request to the API belongs to. */
export const callHeader = 'x-simulated-call';

export function createAccessCheck(
  simulation: Simulation,
  state: StoredState,
  tenants: readonly Tenant[],
) {
  const { scheduler, violate, count, tell } = simulation;
  const presentations = createPresentations(simulation, state);
  const rates = createRates(simulation);
  /** By process and tenant: the lease it took last, and the hold on refreshes. */
  const leases = new WeakMap<SimulatedProcess, Map<Tenant, Hold>>();
  const exchanges = new WeakMap<SimulatedProcess, Map<Tenant, Hold>>();
  const triggers = new Map<Tenant, number>();
  const unusedClaims = new Map<Tenant, number>();
  const calls = new Map<string, Attempt[]>();
  const leasedBefore = new Set<string>();

  function hold(
    holds: WeakMap<SimulatedProcess, Map<Tenant, Hold>>,
    process: SimulatedProcess,
    tenant: Tenant,
  ): void {
    const own = holds.get(process) ?? new Map<Tenant, Hold>();
    const version = state.versionOf(tenant);
    const isOnly = !leasedBefore.has(`${tenant.name} ${version}`);
    leasedBefore.add(`${tenant.name} ${version}`);
    holds.set(process, own.set(tenant, { at: scheduler.now(), version, isOnly }));
  }

  function checkSecrets(tenant: Tenant, { url, headers, body }: NetworkRequest): void {
    const basic = headers.get('authorization')?.replace(/^Basic /, '') ?? '';
    const plain = Buffer.from(basic, 'base64').toString('utf8');
    const text = [url.searchParams.toString(), headers.get('authorization'), plain, body].join(' ');
    for (const secret of decodeURIComponent(text).split(secretMark).slice(1)) {
      if (!secret.startsWith(`${tenant.name}/`)) {
        violate('a secret goes to its own platform only', `${secret} to ${tenant.name}`);
      }
    }
  }

  function present(
    process: SimulatedProcess,
    tenant: Tenant,
    { url }: NetworkRequest,
  ): Presentation | undefined {
    const code = url.searchParams.get('code');
    const secret = code ?? url.searchParams.get('refresh_token') ?? '';
    const held = (code === null ? leases : exchanges).get(process)?.get(tenant);
    if (!held) {
      violate('nothing is presented without a lease or a hold', secret);
      return undefined;
    }
    const presentation: Presentation = {
      tenant,
      kind: code === null ? 'refresh token' : 'code',
      secret,
      process,
      heldAt: held.at,
      version: held.version,
      isOnly: held.isOnly,
      heard: 'nothing yet',
      brought: undefined,
    };
    presentations.begin(presentation);
    return presentation;
  }

  function countCall(process: SimulatedProcess, { headers }: NetworkRequest): Exchange {
    const name = headers.get(callHeader) ?? '';
    const accessToken = headers.get('authorization')?.replace('Bearer ', '') ?? '';
    const before = calls.get(name) ?? [];
    const attempt: Attempt = { accessToken, status: undefined, endedAt: scheduler.now() };
    calls.set(name, [...before, attempt]);
    const situation = repetitions[before.length];
    if (situation) count(situation);
    if (before.length > 0 && before.at(-1)?.status !== 401) {
      violate('a call is sent again only after a 401', name);
    }
    if (before.some((earlier) => earlier.accessToken === accessToken)) {
      violate('a call is sent once with each token', name);
    }
    if (before.length >= maxAttempts || wasRefusedFresh(process, before)) {
      violate('a call is sent no more after the 401 of a fresh token', name);
    }
    return {
      ended(answer) {
        attempt.status = typeof answer === 'object' ? answer.status : undefined;
        attempt.endedAt = scheduler.now();
      },
    };
  }

  /** One of its tokens was refreshed because of the 401 of the one before it, and without a doubt. */
  function wasRefusedFresh(process: SimulatedProcess, attempts: Attempt[]): boolean {
    return attempts.some(({ accessToken }, index) => {
      const refusedAt = attempts[index - 1]?.endedAt;
      const refreshedAt = presentations.refreshedAt(process, accessToken);
      return refusedAt !== undefined && refreshedAt !== undefined && refreshedAt > refusedAt;
    });
  }

  function countTrigger(tenant: Tenant): void {
    triggers.set(tenant, (triggers.get(tenant) ?? 0) + 1);
    const unused = unusedClaims.get(tenant) ?? 0;
    unusedClaims.set(tenant, unused - 1);
    if (unused < 1) violate('every trigger was claimed', tenant.name);
  }

  const witness: StoreWitness = (process, method, parameters, result) => {
    // Whatever changes a grant does so in a transaction, and shows when that has ended.
    if (method === 'transaction') state.check();
    switch (method) {
      case 'renewals.acquire': {
        const lease = result as LeaseOutcome;
        const [{ installationId }] = parameters as [Lease];
        const tenant = state.tenantOf(installationId);
        tell(process.name, `lease: ${lease.outcome}`);
        if (lease.outcome !== 'acquired') return count(leaseSituations[lease.outcome]);
        if (!tenant) return;
        hold(leases, process, tenant);
        rates.leased(tenant);
        return;
      }
      case 'renewals.beginExchange': {
        const [{ tenantId }, { codeDigest }] = parameters as [Installation, ExchangeIntent];
        const tenant = tenants.find((each) => each.tenantId === tenantId);
        if (!tenant) return;
        hold(exchanges, process, tenant);
        presentations.announce(tenant, codeDigest);
        return;
      }
      case 'renewals.claimTrigger': {
        const [{ installationId, generation, tokenVersion }] = parameters as [Lease];
        const tenant = state.tenantOf(installationId);
        const claim = result as TriggerClaim;
        if (!tenant) return;
        rates.claimed(tenant, `${generation}.${tokenVersion}`, claim);
        if (claim.outcome !== 'claimed') return;
        unusedClaims.set(tenant, (unusedClaims.get(tenant) ?? 0) + 1);
        if (state.hasIntent(tenant) && state.statusOf(tenant) !== 'awaiting_event') {
          count('trigger: after an unfinished exchange');
        }
        return;
      }
      case 'grants.commitRefresh':
        if (result === undefined) count('refresh: late commit dropped');
        return;
      case 'installations.uninstall': {
        const [{ id }] = parameters as [Installation];
        const tenant = state.tenantOf(id);
        if (tenant) rates.forget(tenant);
        return;
      }
    }
  };

  return {
    witness,
    died: presentations.died,

    /** The caller got the 401 of this call's last request. */
    refused(name: string): void {
      const attempts = calls.get(name) ?? [];
      const last = attempts.at(-1);
      if (!last || attempts.length >= maxAttempts) return;
      if (presentations.isInDoubt(last.accessToken)) {
        violate('a 401 of tokens in doubt is not the caller’s', last.accessToken);
      }
    },

    triggersOf: (tenant: Tenant) => triggers.get(tenant) ?? 0,

    sent(process: SimulatedProcess, tenant: Tenant, request: NetworkRequest): Exchange {
      checkSecrets(tenant, request);
      switch (partOf(request)) {
        case 'API':
          return countCall(process, request);
        case 'trigger':
          countTrigger(tenant);
          return { ended: () => {} };
        case 'token endpoint': {
          const presentation = present(process, tenant, request);
          return {
            ended(answer) {
              if (presentation) presentations.end(presentation, answer);
            },
          };
        }
      }
    },
  };
}

/** By the number of requests that a call has sent before. */
const repetitions: Record<number, Situation> = {
  1: 'call: 401 and a second try',
  2: 'call: second 401 and a third try',
  3: 'call: third 401 and a fourth try',
};

const leaseSituations = {
  held: 'lease: held by another',
  backing_off: 'lease: backing off',
  rate_limited: 'lease: rate limited',
  spent: 'lease: spent',
  moved: 'lease: moved',
  gone: 'lease: gone',
} as const;
