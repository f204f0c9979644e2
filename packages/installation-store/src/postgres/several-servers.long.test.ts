/** A URL that names both servers of a pair: the one that takes writes is found without a proxy. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { describe, type TestContext, test, vi } from 'vitest';
import { begin } from '../contract/check.ts';
import { openStore } from '../open-store.ts';
import { createKeyring } from '../sealing/keyring.ts';
import { findPostgresBinaries, startPair } from '../testing/index.ts';

const binaries = findPostgresBinaries() ?? '';
const patience = { timeout: 60_000 };

async function startServers({ onTestFinished }: TestContext) {
  const pair = await startPair(binaries, onTestFinished);
  const keyring = createKeyring(randomBytes(32));
  const [primary, standby] = pair.direct;

  async function open(servers: readonly URL[], login = 'dowel') {
    const places = servers.map(({ host }) => host).join(',');
    const store = await openStore({ url: `postgres://${login}@${places}/postgres`, keyring });
    onTestFinished(() => store.close());
    return store;
  }
  return { pair, primary, standby, open };
}

async function execute(server: URL, statement: string): Promise<void> {
  const client = new pg.Client(server.href);
  await client.connect();
  await client.query(statement);
  await client.end();
}

describe.skipIf(!binaries)('two servers', { concurrent: true }, () => {
  test('are used in any order, also after a failover, and changes are heard from the new primary', async (context) => {
    const { expect } = context;
    const { pair, primary, standby, open } = await startServers(context);
    const one = await open([primary, standby]);
    const other = await open([standby, primary]);
    const heard: (string | null)[] = [];
    other.onChange((id) => heard.push(id));
    const before = await begin(one);
    await vi.waitFor(() => expect(heard).toContain(before.id), patience);

    await pair.kill();
    // Nothing is read from the standby, so the database is away. Whichever server is asked first.
    const away = { code: 'DATABASE_UNAVAILABLE', lack: 'answers' };
    for (let checks = 0; checks < 4; checks += 1) {
      await expect(one.assertAvailable()).rejects.toMatchObject(away);
    }
    const writing = begin(one);
    const reading = other.installations.get(before.id);
    await pair.promote();

    expect(await reading).toMatchObject({ id: before.id });
    expect(await other.installations.get((await writing).id)).toBeDefined();
    // Null is a change of any installation: it listens to another server.
    await vi.waitFor(() => expect(heard).toContain(null), patience);
    const { id } = await begin(one);
    await vi.waitFor(() => expect(heard).toContain(id), patience);
    await one.assertAvailable();
    expect(await open([primary, standby])).toBeDefined();
  });

  test('a primary without a free slot is busy, and not away', async (context) => {
    const { expect } = context;
    const { primary, standby, open } = await startServers(context);
    await execute(primary, 'create role narrow login in role dowel');
    const owner = await open([primary, standby]);
    const store = await open([primary, standby], 'narrow');

    // Its listener has the only slot, and it must connect again for all else.
    await execute(primary, 'alter role narrow connection limit 1');
    await execute(
      primary,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where usename = 'narrow' and application_name = 'dowel'`,
    );

    const busy = { code: 'DATABASE_UNAVAILABLE', reason: 'database_busy' };
    const check = () => expect(store.assertAvailable()).rejects.toMatchObject(busy);
    await vi.waitFor(check, patience);
    // Whichever server is asked first.
    await check();
    await owner.assertAvailable();
  });
});
