/**
 * Operations on the platform from outside its protocol. Tests call them in process; the control
 * API offers the same over HTTP.
 */
import type { LifecycleEventName, Manifest } from '@dowel/schema';
import type { JWTPayload } from 'jose';
import {
  findClient,
  revokeAccessTokens,
  revokeRefreshTokens,
} from './authorization-server/index.ts';
import type {
  Exchange,
  Installation,
  Instance,
  Lab,
  LabChange,
  Plugins,
  ReceivedNotification,
  Tenant,
  User,
} from './control-api.ts';
import { createInitJwt } from './create-init-jwt.ts';
import { createSaveJwt } from './create-save-jwt.ts';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import { claimsOf } from './event-claims.ts';
import { type ExchangeFilter, type ExchangeRecord, viewExchange } from './exchange-log.ts';
import type { ActiveFault, FaultName, FaultOptions } from './fault-schema.ts';
import type { FaultSwitch } from './faults.ts';
import { install, uninstall, update } from './install.ts';
import type { InstanceConfig } from './instance-config.ts';
import { addInstance, removeInstance, saveConfig } from './instances.ts';
import { type EventChange, prepareEvent, type UnsentEvent } from './prepare-event.ts';
import { resendEvent } from './resend-event.ts';
import { sendAccessTokenEvent } from './send-access-token-event.ts';
import { sendUnchanged } from './send-event.ts';
import type { SigningKeyName } from './signing-keys.ts';
import { findInstallation, type TenantState } from './tenant-state.ts';
import { viewInstallation, viewInstance, viewNotifications, viewPlugins } from './views.ts';

/** Identifies an installation: `pluginId` is unique only together with `tenantId`. */
export interface InstallationKey {
  tenantId: string;
  pluginId: string;
}

/**
 * All of them throw PlatformError `TENANT_NOT_FOUND`, `INSTALLATION_NOT_FOUND` or `USER_NOT_FOUND`
 * for an unknown id.
 */
export interface Operations {
  readonly tenants: readonly Tenant[];
  findUser(userId: string): { user: User; tenant: Tenant };
  /** @throws InstallationFailedError; PlatformError `ALREADY_INSTALLED` when `pluginId` is taken. */
  install(request: {
    tenantId: string;
    manifestUrl: string;
    /** Default: random. Pass it to install the same id again, or the same id in two tenants. */
    pluginId?: string;
    language?: string;
    /** Returns the manifest to install in place of the one that was read. */
    manifest?: (read: Manifest) => Manifest;
  }): Promise<Installation>;
  /** @throws InstallationFailedError; PlatformError `UPDATE_IN_PROGRESS` */
  update(
    key: InstallationKey & { language?: string; manifest?: (read: Manifest) => Manifest },
  ): Promise<Installation>;
  /** Resolves after the first attempt to send the event. */
  uninstall(key: InstallationKey): Promise<void>;
  /** @throws PlatformError `ENTRY_POINT_NOT_FOUND` */
  addInstance(
    request: InstallationKey & { entryPointId: string; language?: string },
  ): Promise<Instance>;
  /**
   * Stores the values that the next init JWTs contain as `cfg.<name>`. Only the control API checks the names.
   *
   * @throws PlatformError `INSTANCE_NOT_FOUND`
   */
  saveConfig(request: InstallationKey & { instanceId: string; config: InstanceConfig }): void;
  /** @throws PlatformError `INSTANCE_NOT_FOUND` */
  removeInstance(request: InstallationKey & { instanceId: string }): Promise<void>;
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
  revoke(request: InstallationKey & { what: 'accessTokens' | 'refreshTokens' }): void;
  plugins(tenantId: string, language?: string): Plugins;
  lab(tenantId: string): Lab;
  changeLab(tenantId: string, change: LabChange): Lab;
  notifications(userId: string): ReceivedNotification[];
  /** @throws PlatformError `INSTANCE_NOT_FOUND` */
  createInitJwt(request: { userId: string; instanceId: string; jti: string }): Promise<string>;
  /** The JWT that asks a configuration page for its values. @throws PlatformError `INSTANCE_NOT_FOUND` */
  createSaveJwt(request: {
    userId: string;
    instanceId: string;
  }): Promise<{ saveJwt: string; jti: string }>;
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

const revokers = { accessTokens: revokeAccessTokens, refreshTokens: revokeRefreshTokens };

/** Creates the operations on these tenants. */
export function createOperations(env: Environment, states: readonly TenantState[]): Operations {
  const stateOf = (tenantId: string) => findState(states, tenantId);
  const userOf = (userId: string) => findUser(states, userId);
  return {
    tenants: states.map(({ tenant }) => tenant),
    findUser: userOf,
    async install({ tenantId, language = 'en', ...request }) {
      const state = stateOf(tenantId);
      return viewInstallation(state, await install(env, state, request), language);
    },
    async update({ tenantId, language = 'en', ...request }) {
      const state = stateOf(tenantId);
      return viewInstallation(state, await update(env, state, request), language);
    },
    async uninstall({ tenantId, pluginId }) {
      await uninstall(env, stateOf(tenantId), pluginId);
    },
    async addInstance({ tenantId, pluginId, entryPointId, language = 'en' }) {
      const state = stateOf(tenantId);
      const installation = findInstallation(state, pluginId);
      const instance = await addInstance(env, state, { pluginId, entryPointId });
      return viewInstance(state, installation, { instance, language });
    },
    saveConfig({ tenantId, ...request }) {
      saveConfig(env, stateOf(tenantId), request);
    },
    async removeInstance({ tenantId, ...request }) {
      await removeInstance(env, stateOf(tenantId), request);
    },
    async sendAccessTokenEvent({ tenantId, pluginId }) {
      const state = stateOf(tenantId);
      const installation = findInstallation(state, pluginId);
      return view(await sendAccessTokenEvent(env, state, installation));
    },
    exchanges: ({ reveal = false, ...filter } = {}) =>
      env.exchanges.find(filter).map((record) => viewExchange(record, { reveal })),
    resendEvent: ({ tenantId, ...request }) => resendEvent(env, stateOf(tenantId), request),
    async prepareEvent({ tenantId, pluginId, instanceId }, event) {
      const state = stateOf(tenantId);
      const installation = findInstallation(state, pluginId);
      const claims = await claimsOf(env, state, installation, { event, instanceId });
      const unsent = await prepareEvent(env, state, installation, event, claims);
      if (!unsent) throw new PlatformError('EVENT_NOT_REQUESTED', `The manifest has no ${event}`);
      const { url, header } = unsent;
      return {
        url: url.href,
        header,
        claims: unsent.claims,
        sign: unsent.sign,
        send: async (change) =>
          view(
            change
              ? await unsent.send(change)
              : await sendUnchanged(env, { tenantId, pluginId, event }, unsent),
          ),
      };
    },
    fault(name, options) {
      const { tenantId } = { tenantId: undefined, ...options };
      if (tenantId !== undefined) stateOf(tenantId);
      return env.faults.add(name, options);
    },
    faults: env.faults.list,
    revoke: ({ tenantId, ...request }) => revoke(env, stateOf(tenantId), request),
    plugins: (tenantId, language = 'en') => viewPlugins(stateOf(tenantId), language),
    lab: (tenantId) => structuredClone(stateOf(tenantId).lab),
    changeLab: (tenantId, change) => changeLab(env, stateOf(tenantId), change),
    notifications(userId) {
      const { user, tenant } = userOf(userId);
      return viewNotifications(stateOf(tenant.tenantId), user);
    },
    async createInitJwt({ userId, instanceId, jti }) {
      const { user, tenant } = userOf(userId);
      return createInitJwt(env, stateOf(tenant.tenantId), { user, instanceId, jti });
    },
    async createSaveJwt({ userId, instanceId }) {
      const { user, tenant } = userOf(userId);
      return createSaveJwt(env, stateOf(tenant.tenantId), { user, instanceId });
    },
    sign: async (claims, { header, key } = {}) =>
      (await env.signingKeys.open(key)).sign(claims, header),
    rotateKey: () => env.signingKeys.rotate(),
  };
}

function findState(states: readonly TenantState[], tenantId: string): TenantState {
  const state = states.find(({ tenant }) => tenant.tenantId === tenantId);
  if (state) return state;
  throw new PlatformError('TENANT_NOT_FOUND', 'No such tenant');
}

function findUser(states: readonly TenantState[], userId: string): { user: User; tenant: Tenant } {
  for (const { tenant } of states) {
    const user = tenant.users.find((each) => each.userId === userId);
    if (user) return { user, tenant };
  }
  throw new PlatformError('USER_NOT_FOUND', 'No such user');
}

function revoke(
  env: Environment,
  state: TenantState,
  { pluginId, what }: { pluginId: string; what: keyof typeof revokers },
): void {
  findInstallation(state, pluginId);
  const client = findClient(state.authorizationServer, pluginId);
  if (client) revokers[what](client);
  env.changes.publishPlugins(state.tenant.tenantId);
}

function changeLab(
  env: Environment,
  { lab, tenant }: TenantState,
  { advanceSeconds = 0, forms = {}, ...settings }: LabChange,
): Lab {
  Object.assign(lab, settings);
  Object.assign(lab.forms, forms);
  lab.clockOffsetSeconds += advanceSeconds;
  env.changes.publishPlugins(tenant.tenantId);
  return structuredClone(lab);
}
