/** Tokens whose stored values do not decrypt, or need a key that the process lacks. */
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { createKeyring, openStore, type Store } from '@dowel/installation-store';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EventReceiver, type OutageWorld, startOutageWorld } from './testing/outage-world.ts';
import type { InstalledPlugin as Installed } from './testing/world.ts';
import type { TokenClientOptions } from './token-client.ts';

let world: OutageWorld;
let store: Store;
let path: string;
let key: OutageWorld['key'];
/** The receiver of the platform's events. */
let receiver: EventReceiver;

beforeAll(async () => {
  world = await startOutageWorld({ receiver: () => receiver });
  ({ store, path, key } = world);
});
beforeEach(() => {
  receiver = { store, client: createClient() };
});
afterAll(() => world.close());

const createClient = (options?: Partial<TokenClientOptions>) => world.createClient(options);
const install = () => world.install();
const expired = () => world.expired();

const post = { method: 'POST', body: '{}' };

describe('a value that does not decrypt', () => {
  function damage(installation: Installed, columns: string[]): void {
    const database = new DatabaseSync(path);
    for (const column of columns) {
      database
        .prepare(`update grants set ${column} = 'k1.AAAA' where installation_id = ?`)
        .run(installation.id);
    }
    database.close();
  }

  test.each(['access_token_sealed', 'refresh_token_sealed', 'client_secret_sealed'])(
    'in %s is replaced by a new event, and affects no other installation',
    async (column) => {
      const [damaged, healthy] = [await install(), await install()];
      damage(damaged, [column]);
      const client = createClient();

      expect((await client.fetch(damaged.id, '/things', post)).status).toBe(201);
      expect((await client.fetch(healthy.id, '/things', post)).status).toBe(201);
      expect(damaged.tally).toMatchObject({ triggers: 1, exchanges: 1, refreshes: 0 });
      expect(healthy.tally).toMatchObject({ triggers: 0, exchanges: 0, refreshes: 0 });
    },
  );

  test('in the trigger as well makes a trigger impossible, which is reported', async () => {
    const damaged = await install();
    damage(damaged, ['access_token_sealed', 'trigger_body_sealed']);

    await expect(createClient().fetch(damaged.id, '/things')).rejects.toMatchObject({
      code: 'TOKEN_UNAVAILABLE',
      message: expect.stringContaining('secret_integrity'),
    });
    expect(damaged.tally.triggers).toBe(0);
  });
});

describe('a value of a key that this process lacks', () => {
  test('affects no token: it is reported, nothing is requested, and processes with the key continue', async () => {
    const ahead = await openStore({ path, keyring: createKeyring(randomBytes(32), key) });
    receiver = { store: ahead, client: createClient({ store: ahead }) };
    const installation = await expired();

    await expect(createClient().fetch(installation.id, '/things', post)).rejects.toMatchObject({
      code: 'KEY_UNKNOWN',
    });
    expect(installation.tally).toMatchObject({ triggers: 0, refreshes: 0 });
    expect(await store.installations.get(installation.id)).toMatchObject({ status: 'active' });

    const { status } = await receiver.client.fetch(installation.id, '/things', post);
    expect(status).toBe(201);
    expect(installation.tally).toMatchObject({ triggers: 0, refreshes: 1 });
    await ahead.close();
  });
});
