/** The context of a contract check, and the shared parts of the checks. Independent of a test runner. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Secret } from '@dowel/schema';
import type {
  ClientAccess,
  Grant,
  InstallationLife,
  LeaseOutcome,
  LeaseRequest,
  TokenSet,
  TokenStore,
  TokenStores,
} from '@dowel/token-client';
import type { Store } from '../store.ts';
import type { AdminSession } from '../stores/account-store.ts';
import type { InstallationKey } from '../stores/find-installation.ts';

/** What the checks of tokens use: a token store, the lives of its installations, and their pauses. */
export interface TokenCheckStores<Life extends InstallationLife = InstallationLife>
  extends TokenStores {
  installations: {
    begin(key: InstallationKey, iat: number, at: number): Promise<Life>;
    find(key: InstallationKey): Promise<Life | undefined>;
    get(id: string): Promise<Life | undefined>;
    uninstall(key: InstallationKey, iat: number): Promise<Life>;
  };
  operators: {
    pause(id: string, pause: { by: string; reason: string }): Promise<boolean>;
    resume(id: string): Promise<boolean>;
  };
}

export type CheckedTokenStore = TokenStore<TokenCheckStores>;

/** Each check has its own installations, so all can use one database, but not at the same time. */
export interface ContractContext<Checked = Store> {
  store: Checked;
  /** Another store object on the same database, like that of another process. */
  other: Checked;
  /** Moves the clock of the leases, forward or back. */
  shiftClock(ms: number): Promise<void>;
  /** The whole content of the database, as text. */
  dump(): Promise<string>;
}

export interface ContractCheck<Checked = Store> {
  /** A claim that holds for every store. */
  title: string;
  run(context: ContractContext<Checked>): Promise<void>;
}

export type TokenCheck = ContractCheck<CheckedTokenStore>;

/** Part of every secret that a check stores. */
export const canary = 'canary';

export const minute = 60_000;

export const check = (title: string, run: ContractCheck['run']): ContractCheck => ({ title, run });

export const tokenCheck = (title: string, run: TokenCheck['run']): TokenCheck => ({ title, run });

export function newKey(): InstallationKey {
  return {
    issuer: 'https://acme.example.com',
    tenantId: randomUUID(),
    pluginId: randomUUID(),
  };
}

export const access: ClientAccess = {
  baseUrl: 'https://acme.example.com',
  clientId: 'client',
  clientSecret: new Secret(`${canary}-client-secret`),
  tokenEndpointUrl: 'api/oauth/token',
  trigger: { url: '/api/trigger', body: new Secret(`${canary}-trigger-body`) },
};

export function tokens(name: string): TokenSet {
  return {
    accessToken: new Secret(`${canary}-access-${name}`),
    refreshToken: new Secret(`${canary}-refresh-${name}`),
    grantedScopes: ['plugin:notify', 'plugin:read'],
    issuedAt: 1_000,
    expiresAt: 61_000,
  };
}

/** Compares only the members, because rows may have no prototype. */
export function assertSame(actual: object | undefined, expected: object): void {
  assert.deepEqual({ ...actual }, { ...expected });
}

/** Tries the assertion again until the other process has heard of a change. */
export async function eventually(assertion: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await assertion();
    } catch (error) {
      if (tries === 400) throw error;
      await sleep(25);
    }
  }
}

/** The session ends on another process as soon as that process has heard of the change. */
export async function assertEnds(store: Store, tokenHash: string, now: number): Promise<void> {
  await eventually(async () => {
    assert.equal(await store.sessions.findPluginSession(tokenHash, now), undefined);
  });
}

export const request = (changes: Partial<LeaseRequest> = {}): LeaseRequest => ({
  owner: 'one',
  leaseMs: 15_000,
  maxPresentations: 3,
  burst: 3,
  intervalMs: 10_000,
  ...changes,
});

export async function begin<Life extends InstallationLife>(
  store: TokenStore<TokenCheckStores<Life>>,
  key = newKey(),
  iat = 1,
): Promise<Life> {
  const { id } = await store.transaction(({ installations }) => installations.begin(key, iat, iat));
  const begun = await store.installations.get(id);
  assert.ok(begun);
  return begun;
}

export const uninstall = <Life extends InstallationLife>(
  store: TokenStore<TokenCheckStores<Life>>,
  key: InstallationKey,
  iat: number,
) => store.transaction(({ installations }) => installations.uninstall(key, iat));

export const replace = (store: TokenStore, installation: InstallationLife, name: string, iat = 1) =>
  store.transaction(({ grants }) =>
    grants.replace(installation, access, tokens(name), { iat, newestIat: iat + 5 }),
  );

export async function granted<Life extends InstallationLife>(
  store: TokenStore<TokenCheckStores<Life>>,
  name = 'a',
): Promise<{ installation: Life; grant: Grant }> {
  const installation = await begin(store);
  assert.equal(await replace(store, installation, name), 'stored');
  return { installation, grant: await loadGrant(store, installation.id) };
}

export async function loadGrant(store: TokenStore, installationId: string): Promise<Grant> {
  const grant = await store.grants.load(installationId);
  assert.ok(grant, 'a grant is stored');
  return grant;
}

export async function accessTokenOf(store: TokenStore, { id }: InstallationLife): Promise<string> {
  return (await loadGrant(store, id)).accessToken.reveal();
}

export function assertOutcome<Name extends LeaseOutcome['outcome']>(
  result: LeaseOutcome,
  outcome: Name,
): Extract<LeaseOutcome, { outcome: Name }> {
  assert.equal(result.outcome, outcome);
  return result as Extract<LeaseOutcome, { outcome: Name }>;
}

/** The session of an operator who has just signed in with a code. */
export function operatorSession(
  changes: Partial<AdminSession> & { expiresAt: number; idleAt: number },
): AdminSession {
  const operator = { name: 'ada', role: 'operator', method: 'code' } as const;
  const { name, method } = { ...operator, ...changes };
  const identity = { method, issuer: null, subject: name };
  const place = { address: '192.0.2.1', browser: 'Firefox', system: null };
  const session = { id: randomUUID(), ...operator, ...place, accountRevision: null, createdAt: 1 };
  return { ...session, identity, ...changes };
}
