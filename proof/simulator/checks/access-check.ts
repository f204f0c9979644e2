/** Checks every request that leaves a process: it contains only its own tenant's secrets, and is allowed now. */
import type {
  ExchangeIntent,
  GrantVersion,
  Installation,
  Lease,
  LeaseOutcome,
  TriggerClaim,
} from '@dowel/installation-store';
import type { StoreWitness } from '../database-link.ts';
import type { Exchange, NetworkAnswer, NetworkRequest } from '../network.ts';
import { partOf } from '../platform.ts';
import type { SimulatedProcess } from '../simulated-process.ts';
import { type Simulation, secretMark } from '../simulation.ts';
import type { Tenant } from '../tenant.ts';
import { noRecord } from './answer-record.ts';
import { type CallContext, callHeader, checkCall, checkRefusal } from './call-check.ts';
import { type CallEnding, createLivingTokens, type LivingTokens } from './living-tokens.ts';
import { createPresentations, type Presentation } from './presentations.ts';
import { createRates, type Rates } from './rates.ts';
import type { StoredState } from './stored-state.ts';

export type AccessCheck = ReturnType<typeof createAccessCheck>;

/** A lease, or the hold on refreshes. A process takes one before it presents a secret. */
interface Hold {
  at: number;
  version: string;
  /** True for the first hold of this version. */
  isOnly: boolean;
}

type Holds = WeakMap<SimulatedProcess, Map<Tenant, Hold>>;

interface Context extends CallContext {
  state: StoredState;
  tenants: readonly Tenant[];
  rates: Rates;
  leases: Holds;
  exchanges: Holds;
  /** Tenants and versions that a process held. */
  heldVersions: Set<string>;
  /** The number of sent triggers. */
  triggers: Map<Tenant, number>;
  /** The number of unused claims of a trigger. */
  unusedClaims: Map<Tenant, number>;
  living: LivingTokens;
}

export function createAccessCheck(
  simulation: Simulation,
  state: StoredState,
  tenants: readonly Tenant[],
) {
  const context: Context = {
    simulation,
    state,
    tenants,
    presentations: createPresentations(simulation, state),
    rates: createRates(simulation),
    leases: new WeakMap(),
    exchanges: new WeakMap(),
    heldVersions: new Set(),
    triggers: new Map(),
    unusedClaims: new Map(),
    calls: new Map(),
    living: createLivingTokens(simulation),
  };
  const witness: StoreWitness = (process, method, parameters, result) => {
    // A transaction may have changed grants, so they are checked when it has ended.
    if (method === 'transaction') state.check();
    witnesses[method]?.(context, { process, parameters, result });
  };
  const { living } = context;
  const about = (installationId: string, tell: (tenant: Tenant) => void) => {
    const tenant = state.tenantOf(installationId);
    if (tenant) tell(tenant);
  };
  return {
    living,
    witness,
    asked(process: SimulatedProcess, method: string, [subject]: readonly unknown[]): void {
      if (method === 'transaction') context.presentations.asksForTransaction(process);
      if (!renewing.has(method)) return;
      const id = typeof subject === 'string' ? subject : (subject as GrantVersion).installationId;
      about(id, (tenant) => living.doubts(process, tenant));
    },
    heard: (process: SimulatedProcess, installationId: string) =>
      about(installationId, (tenant) => living.hearsOfChange(process, tenant)),
    /** The process has tokens that it could not store. */
    unsaved: (process: SimulatedProcess, installationId: string) =>
      about(installationId, (tenant) => living.keepsUnsaved(process, tenant)),
    died: context.presentations.died,
    /** The caller got the 401 of this call's last request. */
    refused: (name: string) => checkRefusal(context, name),
    triggersOf: (tenant: Tenant) => context.triggers.get(tenant) ?? 0,
    sent: (process: SimulatedProcess, tenant: Tenant, request: NetworkRequest) =>
      checkSent(context, process, tenant, request),
  };
}

function checkSent(
  context: Context,
  process: SimulatedProcess,
  tenant: Tenant,
  request: NetworkRequest,
): Exchange {
  checkSecrets(context, tenant, request);
  switch (partOf(request)) {
    case 'API':
      return checkApiCall(context, process, tenant, request);
    case 'trigger':
      checkTrigger(context, tenant);
      return { ended: () => {} };
    case 'token endpoint': {
      const presentation = present(context, process, tenant, request);
      return {
        ended(answer) {
          if (presentation) context.presentations.end(presentation, answer);
        },
      };
    }
  }
}

function checkApiCall(
  context: Context,
  process: SimulatedProcess,
  tenant: Tenant,
  request: NetworkRequest,
): Exchange {
  const { living } = context;
  const { headers } = request;
  const name = headers.get(callHeader) ?? '';
  const token = headers.get('authorization')?.replace('Bearer ', '') ?? '';
  const call = checkCall(context, process, request);
  living.leaves(name, process, { tenant, token });
  return {
    ended(answer) {
      call.ended(answer);
      living.hasAnswer(name, process, tenant, callEnding(answer));
    },
  };
}

function callEnding(answer: NetworkAnswer | 'refused' | undefined): CallEnding {
  if (typeof answer !== 'object') return 'unanswered';
  return answer.status === 401 ? 'refused token' : 'answered';
}

function checkSecrets(
  { simulation }: Context,
  tenant: Tenant,
  { url, headers, body }: NetworkRequest,
): void {
  const basic = headers.get('authorization')?.replace(/^Basic /, '') ?? '';
  const plain = Buffer.from(basic, 'base64').toString('utf8');
  const text = [url.searchParams.toString(), headers.get('authorization'), plain, body].join(' ');
  for (const secret of decodeURIComponent(text).split(secretMark).slice(1)) {
    if (secret.startsWith(`${tenant.name}/`)) continue;
    simulation.violate('a secret goes to its own platform only', `${secret} to ${tenant.name}`);
  }
}

function checkTrigger({ simulation, triggers, unusedClaims }: Context, tenant: Tenant): void {
  triggers.set(tenant, (triggers.get(tenant) ?? 0) + 1);
  const unused = unusedClaims.get(tenant) ?? 0;
  unusedClaims.set(tenant, unused - 1);
  if (unused < 1) simulation.violate('every trigger was claimed', tenant.name);
}

function present(
  { simulation, presentations, leases, exchanges }: Context,
  process: SimulatedProcess,
  tenant: Tenant,
  { url }: NetworkRequest,
): Presentation | undefined {
  const code = url.searchParams.get('code');
  const secret = code ?? url.searchParams.get('refresh_token') ?? '';
  const held = (code === null ? leases : exchanges).get(process)?.get(tenant);
  if (!held) {
    simulation.violate('nothing is presented without a lease or a hold', secret);
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
    record: { ...noRecord },
  };
  presentations.begin(presentation);
  return presentation;
}

function hold(context: Context, holds: Holds, process: SimulatedProcess, tenant: Tenant): void {
  const { simulation, state, heldVersions } = context;
  const own = holds.get(process) ?? new Map<Tenant, Hold>();
  const version = state.versionOf(tenant);
  const isOnly = !heldVersions.has(`${tenant.name} ${version}`);
  heldVersions.add(`${tenant.name} ${version}`);
  holds.set(process, own.set(tenant, { at: simulation.scheduler.now(), version, isOnly }));
}

interface StoreCall {
  process: SimulatedProcess;
  parameters: readonly unknown[];
  result: unknown;
}

/** Updates the checks after a call of the store, by method. */
const witnesses: Record<string, (context: Context, call: StoreCall) => void> = {
  'renewals.acquire': witnessLease,
  'renewals.extend': witnessExtension,
  'renewals.takeBack': witnessTakeBack,
  'renewals.beginExchange': witnessExchange,
  'renewals.claimTrigger': witnessTriggerClaim,
  'grants.commitRefresh'(context, call) {
    if (call.result === undefined) context.simulation.count('refresh: late commit dropped');
    witnessRecord(context, call);
  },
  'grants.markAwaitingEvent': witnessRecord,
  'installations.uninstall'({ state, rates }, { parameters }) {
    const [{ id }] = parameters as [Installation];
    const tenant = state.tenantOf(id);
    if (tenant) rates.forget(tenant);
  },
};

function witnessLease(context: Context, { process, parameters, result }: StoreCall): void {
  const { simulation, state, rates, leases } = context;
  const lease = result as LeaseOutcome;
  const [{ installationId }] = parameters as [Lease];
  const tenant = state.tenantOf(installationId);
  simulation.log(process.name, `lease: ${lease.outcome}`);
  // No history has an operator.
  if (lease.outcome === 'paused') return;
  if (lease.outcome !== 'acquired') {
    simulation.count(leaseSituations[lease.outcome]);
    return;
  }
  if (!tenant) return;
  hold(context, leases, process, tenant);
  rates.leased(tenant);
}

/** Nothing was sent with the lease, which begins again or is given back. */
function witnessExtension(context: Context, { process, parameters, result }: StoreCall): void {
  const { simulation, state, rates, leases } = context;
  const [{ installationId }] = parameters as [Lease];
  const tenant = state.tenantOf(installationId);
  simulation.log(process.name, `lease: ${result === true ? 'extended' : 'given back'}`);
  simulation.count('lease: lapsed before sending');
  if (!tenant) return;
  if (result === true) hold(context, leases, process, tenant);
  else rates.returned(tenant);
}

/** The answer to a lease was lost, and nothing was sent with it. */
function witnessTakeBack(context: Context, { process, parameters, result }: StoreCall): void {
  const { simulation, state, rates } = context;
  const [{ installationId }] = parameters as [GrantVersion];
  const tenant = state.tenantOf(installationId);
  if (result !== true || !tenant) return;
  simulation.log(process.name, 'lease: taken back');
  simulation.count('lease: taken back after its answer was lost');
  rates.returned(tenant);
}

function witnessExchange(context: Context, { process, parameters }: StoreCall): void {
  const { tenants, exchanges, presentations } = context;
  const [{ tenantId }, { codeDigest }] = parameters as [Installation, ExchangeIntent];
  const tenant = tenants.find((each) => each.tenantId === tenantId);
  if (!tenant) return;
  hold(context, exchanges, process, tenant);
  presentations.announce(tenant, codeDigest);
}

function witnessRecord(context: Context, { process, parameters }: StoreCall): void {
  const { state, presentations } = context;
  const [{ installationId, generation, tokenVersion }] = parameters as [GrantVersion];
  const tenant = state.tenantOf(installationId);
  if (tenant) presentations.recorded(process, tenant, `${generation}.${tokenVersion}`);
}

function witnessTriggerClaim(context: Context, { parameters, result }: StoreCall): void {
  const { simulation, state, rates, unusedClaims } = context;
  const [{ installationId, generation, tokenVersion }] = parameters as [Lease];
  const tenant = state.tenantOf(installationId);
  const claim = result as TriggerClaim;
  if (!tenant) return;
  rates.claimed(tenant, `${generation}.${tokenVersion}`, claim);
  if (claim.outcome !== 'claimed') return;
  unusedClaims.set(tenant, (unusedClaims.get(tenant) ?? 0) + 1);
  if (state.hasIntent(tenant) && state.statusOf(tenant) !== 'awaiting_event') {
    simulation.count('trigger: after an unfinished exchange');
  }
}

/** Store methods that a process calls while it renews tokens, when calls may have to wait. */
const renewing = new Set([
  'renewals.acquire',
  'renewals.extend',
  'renewals.release',
  'renewals.loadTrigger',
  'renewals.claimTrigger',
  'renewals.delayTrigger',
]);

const leaseSituations = {
  held: 'lease: held by another',
  backing_off: 'lease: backing off',
  rate_limited: 'lease: rate limited',
  spent: 'lease: spent',
  moved: 'lease: moved',
  gone: 'lease: gone',
} as const;
