/** The context of a contract check, and the shared parts of the checks. Independent of a test runner. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Secret } from '@dowel/schema';
import type { AdminSession } from '../account-store.ts';
import type { ClientAccess, Grant, TokenSet } from '../grant-store.ts';
import type { Installation, InstallationKey } from '../installation-store.ts';
import type { LeaseOutcome, LeaseRequest } from '../renewal-store.ts';
import type { Store } from '../store.ts';

/** Each check has its own installations, so all can use one database, but not at the same time. */
export interface ContractContext {
  store: Store;
  /** Another store object on the same database, like that of another process. */
  other: Store;
  /** Moves the clock of the leases, forward or back. */
  shiftClock(ms: number): Promise<void>;
  /** The whole content of the database, as text. */
  dump(): Promise<string>;
}

export interface ContractCheck {
  /** A claim that holds for every store. */
  title: string;
  run(context: ContractContext): Promise<void>;
}

/** Part of every secret that a check stores. */
export const canary = 'canary';

export const minute = 60_000;

export const check = (title: string, run: ContractCheck['run']): ContractCheck => ({ title, run });

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

export async function begin(store: Store, key = newKey(), iat = 1): Promise<Installation> {
  const { isRevival: _, ...installation } = await store.transaction(({ installations }) =>
    installations.begin(key, iat, iat),
  );
  return installation;
}

export const uninstall = (store: Store, key: InstallationKey, iat: number) =>
  store.transaction(({ installations }) => installations.uninstall(key, iat));

export const replace = (store: Store, installation: Installation, name: string, iat = 1) =>
  store.transaction(({ grants }) =>
    grants.replace(installation, access, tokens(name), { iat, newestIat: iat + 5 }),
  );

export async function granted(
  store: Store,
  name = 'a',
): Promise<{ installation: Installation; grant: Grant }> {
  const installation = await begin(store);
  assert.equal(await replace(store, installation, name), 'stored');
  return { installation, grant: await loadGrant(store, installation.id) };
}

export async function loadGrant(store: Store, installationId: string): Promise<Grant> {
  const grant = await store.grants.load(installationId);
  assert.ok(grant, 'a grant is stored');
  return grant;
}

export async function accessTokenOf(store: Store, { id }: Installation): Promise<string> {
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
  const session = { id: randomUUID(), ...operator, accountRevision: null, createdAt: 1 };
  return { ...session, identity, ...changes };
}
