import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Secret } from '@dowel/schema';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKeyring } from './keyring.ts';
import { openStore } from './open-store.ts';
import type { ClientAccess, Store, TokenSet } from './store.ts';

const key = {
  issuer: 'https://acme.example.com',
  tenantId: 'd290f1ee-6c54-4b01-90e6-d701748f0851',
  pluginId: '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de',
};

const access: ClientAccess = {
  baseUrl: 'https://acme.example.com',
  clientId: 'client',
  clientSecret: new Secret('canary-client-secret'),
  tokenEndpointUrl: 'api/oauth/token',
  trigger: { url: '/api/trigger', body: new Secret('canary-trigger-body') },
};

function tokens(name: string): TokenSet {
  return {
    accessToken: new Secret(`canary-access-${name}`),
    refreshToken: new Secret(`canary-refresh-${name}`),
    grantedScopes: ['plugin:notify'],
    issuedAt: 1_000,
    expiresAt: 61_000,
  };
}

let folder: string;
let path: string;
let store: Store;
const encryptionKey = randomBytes(32);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-store-'));
  path = join(folder, 'dowel.sqlite');
  store = await openStore({ path, keyring: createKeyring(encryptionKey) });
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function grantOf(name: string) {
  const installation = await store.installations.begin(key, 1, 1);
  await store.transaction(({ grants }) =>
    grants.replace(installation, access, tokens(name), { iat: 1, newestIat: 6 }),
  );
  const grant = await store.grants.load(installation.id);
  if (!grant) throw new Error('No grant was stored');
  return { installation, grant };
}

describe('installations', () => {
  test('begin leaves a live installation its life, and moves its start', async () => {
    const first = await store.installations.begin(key, 1, 1);

    expect(await store.installations.begin(key, 2, 2)).toEqual({ ...first, beganIat: 2 });
    expect(first).toMatchObject({ ...key, generation: 1, status: 'pending' });
  });

  test('an install after an uninstall begins the next generation', async () => {
    const first = await store.installations.begin(key, 1, 1);
    await store.installations.uninstall(first, 2);

    expect(await store.installations.begin(key, 2, 2)).toMatchObject({
      id: first.id,
      generation: 2,
    });
  });

  test('uninstalling one installation leaves the other plug-in of the tenant alone', async () => {
    const other = await store.installations.begin({ ...key, pluginId: key.tenantId }, 1, 1);
    const { installation } = await grantOf('a');
    await store.transaction(({ grants }) =>
      grants.replace(other, access, tokens('other'), { iat: 1, newestIat: 6 }),
    );

    await store.installations.uninstall(installation, 2);

    expect(await store.grants.load(installation.id)).toBeUndefined();
    expect((await store.grants.load(other.id))?.accessToken.reveal()).toBe('canary-access-other');
  });
});

describe('grants', () => {
  test('a stored grant comes back whole', async () => {
    const { installation, grant } = await grantOf('a');

    expect(grant).toMatchObject({
      tokenVersion: 1,
      generation: 1,
      grantedScopes: ['plugin:notify'],
    });
    expect(grant.clientSecret.reveal()).toBe('canary-client-secret');
    expect(grant.trigger?.body?.reveal()).toBe('canary-trigger-body');
    expect(grant.refreshToken?.reveal()).toBe('canary-refresh-a');
    expect((await store.installations.get(installation.id))?.status).toBe('active');
  });

  test('no file of the database holds a secret', async () => {
    await grantOf('a');

    for (const file of await readdir(folder)) {
      expect((await readFile(join(folder, file))).includes('canary')).toBe(false);
    }
  });

  test('a ciphertext moved to another column does not decrypt', async () => {
    const { installation } = await grantOf('a');
    const raw = new DatabaseSync(path);
    raw.exec('update grants set access_token_sealed = refresh_token_sealed');
    raw.close();

    await expect(store.grants.load(installation.id)).rejects.toMatchObject({
      code: 'SECRET_INTEGRITY',
    });
  });

  test('a refresh that was overtaken changes nothing', async () => {
    const { installation, grant } = await grantOf('a');
    await store.transaction(({ grants }) =>
      grants.replace(installation, access, tokens('event'), { iat: 1, newestIat: 6 }),
    );

    const stored = await store.transaction(({ grants }) =>
      grants.commitRefresh(grant, tokens('late')),
    );

    expect(stored).toBe(false);
    expect(await store.grants.load(installation.id)).toMatchObject({ tokenVersion: 2 });
    expect((await store.grants.load(installation.id))?.accessToken.reveal()).toBe(
      'canary-access-event',
    );
  });

  test('tokens of an ended generation are not stored', async () => {
    const { installation } = await grantOf('a');
    await store.installations.uninstall(installation, 2);

    expect(
      await store.transaction(({ grants }) =>
        grants.replace(installation, access, tokens('b'), { iat: 1, newestIat: 6 }),
      ),
    ).toBe('ended');
    expect(await store.grants.load(installation.id)).toBeUndefined();
  });

  test('a token version never comes again, in any generation', async () => {
    const { installation } = await grantOf('a');
    await store.installations.uninstall(installation, 2);

    expect((await grantOf('b')).grant).toMatchObject({ generation: 2, tokenVersion: 2 });
  });
});

describe('the tombstone', () => {
  test('never goes back: a late uninstall of before does not open the way for what it closed', async () => {
    const { installation } = await grantOf('a');
    await store.installations.uninstall(installation, 300);
    await store.installations.uninstall(installation, 250);

    expect(await store.installations.get(installation.id)).toMatchObject({ endedIat: 300 });
  });
});

describe('transaction', () => {
  test('leaves nothing behind when its work fails', async () => {
    const changes: string[] = [];
    store.onChange((id) => changes.push(id));

    const failed = store.transaction(async ({ installations }) => {
      await installations.begin(key, 1, 1);
      throw new Error('after the write');
    });

    await expect(failed).rejects.toThrow('after the write');
    expect(await store.installations.find(key)).toBeUndefined();
    expect(changes).toEqual([]);
  });
});

describe('transactions that wait for each other', () => {
  test('keep their own failure, and are all there when they resolve', async () => {
    const keys = Array.from({ length: 100 }, () => ({ ...key, tenantId: crypto.randomUUID() }));

    const outcomes = await Promise.allSettled(
      keys.map((each, index) =>
        store.transaction(async ({ installations }) => {
          await installations.begin(each, 1, 1);
          if (index % 10 === 3) throw new Error('after the write');
        }),
      ),
    );

    const other = await openStore({ path, keyring: createKeyring(encryptionKey) });
    for (const [index, each] of keys.entries()) {
      const failed = index % 10 === 3;
      expect(outcomes[index]?.status).toBe(failed ? 'rejected' : 'fulfilled');
      expect((await other.installations.find(each)) === undefined).toBe(failed);
    }
    await other.close();
  });
});

describe('the database file', () => {
  test('I08: the write-ahead log stays small under a long run of writes', async () => {
    const { installation } = await grantOf('a');
    for (let count = 0; count < 3_000; count += 1) {
      await store.installations.addInstance(
        installation.id,
        `instance-${count}-${'x'.repeat(500)}`,
      );
    }

    expect((await stat(`${path}-wal`)).size).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('inbox', () => {
  const claim = { owner: 'one', now: 100, until: 200 };

  test('an event is claimed once, until its claim ends', async () => {
    const inboxKey = { installationId: (await grantOf('a')).installation.id, digest: 'd' };

    expect(await store.inbox.claim(inboxKey, claim)).toBe(true);
    expect(await store.inbox.claim(inboxKey, { owner: 'two', now: 199, until: 299 })).toBe(false);
    expect(await store.inbox.claim(inboxKey, { owner: 'two', now: 200, until: 300 })).toBe(true);
    expect(await store.inbox.settle(inboxKey, 'one', { status: 201, reason: null })).toBe(false);
    expect(await store.inbox.findVerdict(inboxKey)).toBeUndefined();
  });

  test('a verdict stands for good', async () => {
    const inboxKey = { installationId: (await grantOf('a')).installation.id, digest: 'd' };
    await store.inbox.claim(inboxKey, claim);

    expect(
      await store.inbox.settle(inboxKey, 'one', { status: 400, reason: 'scope_missing' }),
    ).toBe(true);
    expect(await store.inbox.claim(inboxKey, { owner: 'two', now: 999, until: 1_999 })).toBe(false);
    expect(await store.inbox.findVerdict(inboxKey)).toEqual({
      status: 400,
      reason: 'scope_missing',
    });
  });

  test('a released claim is free at once', async () => {
    const inboxKey = { installationId: (await grantOf('a')).installation.id, digest: 'd' };
    await store.inbox.claim(inboxKey, claim);
    await store.inbox.release(inboxKey, 'one');

    expect(await store.inbox.claim(inboxKey, { owner: 'two', now: 101, until: 201 })).toBe(true);
  });
});

describe('sessions', () => {
  test('an init JWT opens one session, which ends with its generation', async () => {
    const { installation } = await grantOf('a');
    const session = {
      installationId: installation.id,
      generation: 1,
      userId: 'u',
      instanceId: 'i',
      expiresAt: 10,
    };

    expect(await store.sessions.createPluginSession('hash-1', session, 'jti')).toBe(true);
    expect(await store.sessions.createPluginSession('hash-2', session, 'jti')).toBe(false);
    expect(await store.sessions.findPluginSession('hash-1', 9)).toEqual(session);
    expect(await store.sessions.findPluginSession('hash-1', 10)).toBeUndefined();

    await store.installations.uninstall(installation, 2);
    expect(await store.sessions.findPluginSession('hash-1', 9)).toBeUndefined();
  });
});

describe('reports', () => {
  test('a summary joins status, grant and newest event', async () => {
    const { installation } = await grantOf('a');
    const entry = {
      installationId: installation.id,
      durationMs: 5,
      status: 201,
      reason: null,
    };
    await store.events.recordEvent({ ...entry, event: 'install', receivedAt: 1 });
    await store.events.recordEvent({ ...entry, event: 'access_token', receivedAt: 2 });
    await store.installations.addInstance(installation.id, 'i-1');

    const { installations } = await store.reports.listInstallations({ limit: 50 });
    const [summary] = installations;

    expect(summary).toMatchObject({
      status: 'active',
      accessToken: { version: 1, issuedAt: 1_000, expiresAt: 61_000 },
      hasRefreshToken: true,
      instanceCount: 1,
      lastEvent: { event: 'access_token', status: 201 },
      lastError: null,
    });
    expect(await store.reports.describeInstallation(installation.id)).toMatchObject({
      instanceIds: ['i-1'],
      events: [{ event: 'access_token' }, { event: 'install' }],
    });
  });
});
