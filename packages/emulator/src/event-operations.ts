/** Operations on what is sent: events, faults, keys, and the record of all requests. */
import type { LifecycleEventName } from '@dowel/schema';
import type { JWTPayload } from 'jose';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import { claimsOf } from './event-claims.ts';
import { type ExchangeFilter, type ExchangeRecord, viewExchange } from './exchange-log.ts';
import type { Exchange } from './exchange-schema.ts';
import type { ActiveFault, FaultName, FaultOptions } from './fault-schema.ts';
import type { FaultSwitch } from './faults.ts';
import { type EventChange, prepareEvent, type UnsentEvent } from './prepare-event.ts';
import { resendEvent } from './resend-event.ts';
import { sendAccessTokenEvent } from './send-access-token-event.ts';
import { sendUnchanged } from './send-event.ts';
import type { SigningKeyName } from './signing-keys.ts';
import { findInstallation, type TenantState } from './tenant-state.ts';

/** Identifies an installation: `pluginId` is unique only together with `tenantId`. */
export interface InstallationKey {
  tenantId: string;
  pluginId: string;
}

export interface EventOperations {
  /** Sends an event without a trigger (Spec §3). @throws PlatformError `API_ACCESS_NOT_REQUESTED` */
  sendAccessTokenEvent(key: InstallationKey): Promise<Exchange>;
  /**
   * The requests in and out of the platform, in the order of their start: the newest 200 of each kind and tenant.
   *
   * @param filter.reveal with secrets. Default: they are masked.
   */
  exchanges(filter?: ExchangeFilter & { reveal?: boolean }): Exchange[];
  /**
   * Sends an event again.
   *
   * @param request.id of the exchange, of kind `event`.
   * @param request.signedAgain signs it again, so that it has not expired. Default: as it was sent.
   * @throws PlatformError `EXCHANGE_NOT_FOUND`
   */
  resendEvent(request: { tenantId: string; id: number; signedAgain?: boolean }): Promise<Exchange>;
  /**
   * An event that is not sent yet, for an installed plug-in. An access_token event has a new code.
   *
   * @param request.instanceId of `instance_add` and `instance_remove`. Default: a random one.
   * @throws PlatformError `EVENT_NOT_REQUESTED`
   */
  prepareEvent(
    key: InstallationKey & { instanceId?: string | undefined },
    event: LifecycleEventName,
  ): Promise<PreparedEvent>;
  /**
   * Lets the next requests meet a fault, or all until it ends. The README lists the names.
   *
   * @param options.times how many requests meet it. Default 1.
   * @param options.skip how many pass before.
   * @returns ends the fault, and counts its `hits`.
   * @throws PlatformError `INVALID_REQUEST`
   *
   * @example
   * const off = platform.fault('token.lostAnswer', { tenantId, on: 'refresh' });
   */
  fault<Name extends FaultName>(name: Name, options?: FaultOptions<Name>): FaultSwitch;
  /** The faults that are on, oldest first. */
  faults(): ActiveFault[];
  /**
   * Signs any claims, for tests of JWTs that a plug-in must refuse.
   *
   * @param options.header replaces members of the header: `alg` (of RSA), `typ`, `jku`. `undefined` leaves one out.
   * @param options.key Default: `own`.
   */
  sign(
    claims: JWTPayload,
    options?: { header?: Readonly<Record<string, unknown>>; key?: SigningKeyName },
  ): Promise<string>;
  /** The next key, published at its own URL, signs from here on. What the key before has signed stays valid. */
  rotateKey(): Promise<void>;
}

/** An event that is ready to be sent, any number of times. Its claims contain secrets. */
export interface PreparedEvent extends Pick<UnsentEvent, 'header' | 'claims'> {
  /** The plug-in's URL for it. */
  readonly url: string;
  /** Resolves with its JWT, changed as a test wants it. */
  sign(change?: EventChange): Promise<string>;
  /**
   * Sends it as the platform does, with a fault that is on, or changed as a test wants it. A failed delivery resolves,
   * with its `error`.
   */
  send(change?: EventChange): Promise<Exchange>;
}

const view = (record: ExchangeRecord) => viewExchange(record, { reveal: false });

/** @param stateOf throws PlatformError `TENANT_NOT_FOUND`. */
export function createEventOperations(
  env: Environment,
  stateOf: (tenantId: string) => TenantState,
): EventOperations {
  return {
    async sendAccessTokenEvent({ tenantId, pluginId }) {
      const state = stateOf(tenantId);
      const installation = findInstallation(state, pluginId);
      return view(await sendAccessTokenEvent(env, state, installation));
    },
    exchanges: ({ reveal = false, ...filter } = {}) =>
      env.exchanges.find(filter).map((record) => viewExchange(record, { reveal })),
    resendEvent: ({ tenantId, ...request }) => resendEvent(env, stateOf(tenantId), request),
    prepareEvent: ({ tenantId, ...request }, event) =>
      prepare(env, stateOf(tenantId), { ...request, event }),
    fault(name, options) {
      const { tenantId } = { tenantId: undefined, ...options };
      if (tenantId !== undefined) stateOf(tenantId);
      return env.faults.add(name, options);
    },
    faults: env.faults.list,
    sign: async (claims, { header, key } = {}) =>
      (await env.signingKeys.open(key)).sign(claims, header),
    rotateKey: () => env.signingKeys.rotate(),
  };
}

async function prepare(
  env: Environment,
  state: TenantState,
  {
    pluginId,
    instanceId,
    event,
  }: { pluginId: string; instanceId?: string | undefined; event: LifecycleEventName },
): Promise<PreparedEvent> {
  const installation = findInstallation(state, pluginId);
  const claims = await claimsOf(env, state, installation, { event, instanceId });
  const unsent = await prepareEvent(env, state, installation, event, claims);
  if (!unsent) throw new PlatformError('EVENT_NOT_REQUESTED', `The manifest has no ${event}`);
  const names = { tenantId: state.tenant.tenantId, pluginId, event };
  const { url, header, sign } = unsent;
  return {
    url: url.href,
    header,
    claims: unsent.claims,
    sign,
    send: async (change) =>
      view(change ? await unsent.send(change) : await sendUnchanged(env, names, unsent)),
  };
}
