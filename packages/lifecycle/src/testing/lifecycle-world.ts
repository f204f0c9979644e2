/** A lifecycle on a real database, with a scripted token endpoint. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createKeyring,
  type Grant,
  type Installation,
  type InstallationKey,
  openStore,
  type Store,
  type TokenSet,
} from '@dowel/installation-store';
import { createDatabaseFile, type TestDatabase } from '@dowel/installation-store/testing';
import {
  type LifecycleEvent,
  type LifecycleEventName,
  lifecycleEventSchemas,
  Secret,
} from '@dowel/schema';
import { type Acceptance, TokenRequestError } from '@dowel/token-client';
import { createLifecycle, type Lifecycle, type LifecycleOptions } from '../lifecycle.ts';

export const issuer = 'https://acme.example.com';
export const tenantId = 'd290f1ee-6c54-4b01-90e6-d701748f0851';
export const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';

export interface LifecycleWorld {
  store: Store;
  /** Every code that reached the token endpoint, in order. */
  exchangedCodes: string[];
  /** The token endpoint's action for a code. It may change the granted scopes, wait, or reject. */
  redeem: (code: string) => Promise<Partial<TokenSet>>;
  /** Milliseconds to add to the real clock of the processes and of the database. */
  clock: { offsetMs: number };
  /** Starts another lifecycle with its own connection to the same database, like another process. */
  start(options?: Partial<LifecycleOptions>): Promise<Lifecycle>;
  /** The installation of the events that `createEvent` makes. */
  find(): Promise<Installation | undefined>;
  /** The same, or with another tenant or plug-in. Throws if it is not installed. */
  findInstalled(key?: Partial<InstallationKey>): Promise<Installation>;
  /** Its tokens. */
  loadGrant(key?: Partial<InstallationKey>): Promise<Grant | undefined>;
  /** Its access token. Undefined: it has none. */
  storedToken(): Promise<string | undefined>;
  stop(): Promise<void>;
}

/** @param database is removed with the world. Default: a SQLite file, whose clock moves with that of the processes. */
export async function createLifecycleWorld(database?: TestDatabase): Promise<LifecycleWorld> {
  const clock = { offsetMs: 0 };
  const now = () => Date.now() + clock.offsetMs;
  const { open, destroy } = database ?? (await createFile(now));
  const stores = [await open()];
  const world: LifecycleWorld = {
    store: stores[0] as Store,
    exchangedCodes: [],
    redeem: async () => ({}),
    clock,
    async start(options = {}) {
      const store = await open();
      stores.push(store);
      return createLifecycle({
        store,
        requestedScopes: ['plugin:notify'],
        now,
        tokenClient: createScriptedTokenClient(world, store),
        ...options,
      });
    },
    find: () => world.store.installations.find({ issuer, tenantId, pluginId }),
    async findInstalled(key = {}) {
      const whole = { issuer, tenantId, pluginId, ...key };
      const installation = await world.store.installations.find(whole);
      if (!installation) throw new Error('Nothing is installed');
      return installation;
    },
    loadGrant: async (key) => world.store.grants.load((await world.findInstalled(key)).id),
    async storedToken() {
      const { id = '' } = (await world.find()) ?? {};
      return (await world.store.grants.load(id))?.accessToken.reveal();
    },
    async stop() {
      for (const store of stores) await store.close();
      await destroy();
    },
  };
  return world;
}

async function createFile(now: () => number): Promise<Pick<TestDatabase, 'open' | 'destroy'>> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-lifecycle-'));
  const path = await createDatabaseFile(folder);
  const keyring = createKeyring(randomBytes(32));
  return {
    open: () => openStore({ path, keyring, now }),
    destroy: () => rm(folder, { recursive: true }),
  };
}

/** Stores the scripted tokens like the token client, without a token endpoint. */
function createScriptedTokenClient(
  world: LifecycleWorld,
  store: Store,
): LifecycleOptions['tokenClient'] {
  return {
    async acceptEvent(installation, event, options) {
      const { base_url, client } = event;
      const { trigger_event: trigger } = client;
      const code = client.authorization_code.reveal();
      world.exchangedCodes.push(code);
      const access = {
        baseUrl: base_url,
        clientId: client.client_id,
        clientSecret: client.client_secret,
        tokenEndpointUrl: client.token_endpoint_url,
        trigger: trigger ? { url: trigger.url, body: trigger.body ?? null } : null,
      };
      const tokens = {
        accessToken: new Secret(`access of ${code}`),
        refreshToken: new Secret(`refresh of ${code}`),
        grantedScopes: ['plugin:notify'],
        issuedAt: 0,
        expiresAt: null,
        ...(await world.redeem(code)),
      };
      const { requestedScopes, essentialScopes = requestedScopes } = options;
      if (!essentialScopes.every((scope) => tokens.grantedScopes.includes(scope))) {
        throw new TokenRequestError('scope_missing', { rejected: true });
      }
      const order = options.order ?? { iat: event.iat, newestIat: event.iat };
      return store.transaction(async (stores) => {
        const right = await options.mayStore?.(stores);
        if (right === false) return dropped;
        const previousScopes =
          (await stores.grants.findVersion(installation.id))?.grantedScopes ?? [];
        const outcome =
          right === 'ended'
            ? right
            : await stores.grants.replace(installation, access, tokens, order);
        const isStored = outcome === 'stored';
        const version = isStored ? await stores.grants.findVersion(installation.id) : undefined;
        const acceptance: Acceptance = {
          outcome,
          tokenVersion: version?.tokenVersion ?? null,
          generation: version?.generation ?? null,
          grantedScopes: isStored ? tokens.grantedScopes : [],
          previousScopes,
        };
        return { ...acceptance, result: await options.commit?.(stores, acceptance) };
      });
    },
  };
}

const dropped = {
  outcome: 'dropped' as const,
  tokenVersion: null,
  generation: null,
  grantedScopes: [],
  previousScopes: [],
  result: undefined,
};

export function createEvent(
  sub: LifecycleEventName,
  claims: Record<string, unknown> = {},
): LifecycleEvent {
  const common = { iss: issuer, tenantId, pluginId, iat: 100, exp: 160, sub };
  return lifecycleEventSchemas[sub].parse({ ...common, ...claims });
}

export function createAccessTokenEvent(
  code: string,
  claims: Record<string, unknown> = {},
  client: Record<string, unknown> = {},
): LifecycleEvent {
  return createEvent('access_token', {
    base_url: `${issuer}/`,
    client: {
      client_id: 'client',
      client_secret: 'secret',
      authorization_code: code,
      token_endpoint_url: 'api/oauth/token',
      ...client,
    },
    ...claims,
  });
}
