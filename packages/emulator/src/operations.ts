/**
 * Operations on the platform from outside its protocol. Tests call them in process; the control
 * API offers the same over HTTP.
 */
import type { Manifest } from '@dowel/schema';
import { addUser, newTenant } from './add-people.ts';
import {
  findClient,
  revokeAccessTokens,
  revokeRefreshTokens,
} from './authorization-server/index.ts';
import type {
  AddTenant,
  AddUser,
  Installation,
  Instance,
  Lab,
  LabChange,
  Plugins,
  ReceivedNotification,
  Tenant,
  UpdateOffer,
  User,
} from './control-api.ts';
import { createInitJwt } from './create-init-jwt.ts';
import { createSaveJwt } from './create-save-jwt.ts';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import {
  createEventOperations,
  type EventOperations,
  type InstallationKey,
} from './event-operations.ts';
import { findUpdate } from './find-update.ts';
import { install, uninstall, update } from './install.ts';
import type { InstanceConfig } from './instance-config.ts';
import { addInstance, removeInstance, saveConfig } from './instances.ts';
import { findInstallation, type TenantState } from './tenant-state.ts';
import type { TenantSeed } from './tenants.ts';
import { viewInstallation, viewInstance, viewNotifications, viewPlugins } from './views.ts';

/**
 * All of them throw PlatformError `TENANT_NOT_FOUND`, `INSTALLATION_NOT_FOUND` or `USER_NOT_FOUND`
 * for an unknown id.
 */
export interface Operations extends EventOperations {
  /** Those of the options, and then those that were added. */
  readonly tenants: readonly Tenant[];
  /**
   * Adds a tenant without people.
   *
   * @param choice.name Default: a numbered one.
   *
   * @example
   * const tenants = Array.from({ length: 50 }, () => platform.addTenant());
   */
  addTenant(choice?: AddTenant): Tenant;
  /**
   * Adds a person, with an email of their own.
   *
   * @param person.name Default: a numbered one.
   * @param person.language BCP 47. Default `en`.
   */
  addUser(person: AddUser & { tenantId: string }): User;
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
  /** Compares the manifest at its URL with the installed one. Nothing is updated, sent or recorded. */
  findUpdate(key: InstallationKey & { language?: string }): Promise<UpdateOffer>;
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
}

const revokers = { accessTokens: revokeAccessTokens, refreshTokens: revokeRefreshTokens };

/**
 * Creates the operations on these tenants.
 *
 * @param openAdded makes the state of a tenant that is added, and keeps it in the snapshot.
 */
export function createOperations(
  env: Environment,
  states: TenantState[],
  openAdded: (seed: TenantSeed) => TenantState,
): Operations {
  const stateOf = (tenantId: string) => findState(states, tenantId);
  return {
    ...createEventOperations(env, stateOf),
    ...createPeopleOperations(env, states, openAdded),
    async install({ tenantId, language = 'en', ...request }) {
      const state = stateOf(tenantId);
      return viewInstallation(state, await install(env, state, request), language);
    },
    async update({ tenantId, language = 'en', ...request }) {
      const state = stateOf(tenantId);
      return viewInstallation(state, await update(env, state, request), language);
    },
    findUpdate: async ({ tenantId, language = 'en', pluginId }) =>
      findUpdate(env, findInstallation(stateOf(tenantId), pluginId), language),
    uninstall: async ({ tenantId, pluginId }) => uninstall(env, stateOf(tenantId), pluginId),
    revoke: ({ tenantId, ...request }) => revoke(env, stateOf(tenantId), request),
    plugins: (tenantId, language = 'en') => viewPlugins(stateOf(tenantId), language),
    async addInstance({ tenantId, language = 'en', ...request }) {
      const state = stateOf(tenantId);
      const installation = findInstallation(state, request.pluginId);
      const instance = await addInstance(env, state, request);
      return viewInstance(state, installation, { instance, language });
    },
    saveConfig: ({ tenantId, ...request }) => saveConfig(env, stateOf(tenantId), request),
    removeInstance: async ({ tenantId, ...request }) =>
      removeInstance(env, stateOf(tenantId), request),
    lab: (tenantId) => structuredClone(stateOf(tenantId).lab),
    changeLab: (tenantId, change) => changeLab(env, stateOf(tenantId), change),
  };
}

/** Adding tenants and people, and what the platform does for one user. */
function createPeopleOperations(
  env: Environment,
  states: TenantState[],
  openAdded: (seed: TenantSeed) => TenantState,
) {
  const tenants = states.map(({ tenant }) => tenant);
  const userOf = (userId: string) => {
    const { user, tenant } = findUser(states, userId);
    return { user, state: findState(states, tenant.tenantId) };
  };
  return {
    tenants,
    addTenant(choice = {}) {
      const state = openAdded(newTenant(states, choice));
      states.push(state);
      tenants.push(state.tenant);
      env.changes.publishState();
      return state.tenant;
    },
    addUser({ tenantId, ...person }) {
      const user = addUser(findState(states, tenantId), person);
      env.changes.publishState();
      return user;
    },
    findUser: (userId) => findUser(states, userId),
    notifications(userId) {
      const { user, state } = userOf(userId);
      return viewNotifications(state, user);
    },
    async createInitJwt({ userId, ...request }) {
      const { user, state } = userOf(userId);
      return createInitJwt(env, state, { user, ...request });
    },
    async createSaveJwt({ userId, instanceId }) {
      const { user, state } = userOf(userId);
      return createSaveJwt(env, state, { user, instanceId });
    },
  } satisfies Partial<Operations>;
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
