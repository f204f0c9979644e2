/** Tokens whose stored values do not decrypt, or need a key that the process lacks. */
import { randomBytes } from 'node:crypto';
import {
  createStrictAuthorizationServer,
  createWorld,
  type InstalledPlugin,
  receiveEvent,
  type World,
} from '@dowel/token-client/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeyring } from '../index.ts';
import { sqlite, type TestDatabase } from '../testing/index.ts';

let world: World<TestDatabase>;

beforeAll(async () => {
  const createServer = createStrictAuthorizationServer;
  world = await createWorld({ createServer, database: sqlite });
});
afterAll(() => world.close());

const post = { method: 'POST', body: '{}' };

describe('a value that does not decrypt', () => {
  async function damage({ id }: InstalledPlugin, columns: string[]): Promise<void> {
    for (const column of columns) {
      await world.database.execute(
        `update grants set ${column} = 'k1.AAAA' where installation_id = '${id}'`,
      );
    }
  }

  test.each(['access_token_sealed', 'refresh_token_sealed', 'client_secret_sealed'])(
    'in %s is replaced by a new event, and affects no other installation',
    async (column) => {
      const [damaged, healthy] = [await world.install(), await world.install()];
      await damage(damaged, [column]);
      const client = world.createClient();

      expect((await client.fetch(damaged.id, '/things', post)).status).toBe(201);
      expect((await client.fetch(healthy.id, '/things', post)).status).toBe(201);
      expect(damaged.tally).toMatchObject({ triggers: 1, exchanges: 1, refreshes: 0 });
      expect(healthy.tally).toMatchObject({ triggers: 0, exchanges: 0, refreshes: 0 });
    },
  );

  test('in the trigger as well makes a trigger impossible, which is reported', async () => {
    const damaged = await world.install();
    await damage(damaged, ['access_token_sealed', 'trigger_body_sealed']);

    await expect(world.createClient().fetch(damaged.id, '/things')).rejects.toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      message: expect.stringContaining('secret_integrity'),
    });
    expect(damaged.tally.triggers).toBe(0);
  });
});

describe('a value of a key that this process lacks', () => {
  test('affects no token: it is reported, nothing is requested, and processes with the key continue', async () => {
    const { database, platform, store } = world;
    const ahead = await database.open({
      keyring: createKeyring(randomBytes(32), database.encryptionKey),
    });
    const client = world.createClient({ store: ahead });
    platform.onEvent((event) => receiveEvent(ahead, client, event));
    const installation = await world.install();
    await platform.revokeAccessTokens(installation);

    await expect(
      world.createClient().fetch(installation.id, '/things', post),
    ).rejects.toMatchObject({
      code: 'KEY_UNKNOWN',
    });
    expect(installation.tally).toMatchObject({ triggers: 0, refreshes: 0 });
    expect(await store.installations.get(installation.id)).toMatchObject({ status: 'active' });

    const { status } = await client.fetch(installation.id, '/things', post);
    expect(status).toBe(201);
    expect(installation.tally).toMatchObject({ triggers: 0, refreshes: 1 });
  });
});
