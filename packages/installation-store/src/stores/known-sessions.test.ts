/** Sessions in memory, on SQLite. That they are as the database has them, after each change, is in the contract. */
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { setImmediate as afterPoll } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { begin, uninstall } from '../contract/check.ts';
import { openEngine } from '../open-engine.ts';
import type { FoundPluginSession } from '../session-store.ts';
import type { Store } from '../store.ts';
import { sqlite, type TestDatabase } from '../testing/index.ts';
import { type KnownSessions, rememberSessions } from './known-sessions.ts';

let database: TestDatabase;
let store: Store;
let other: Store;
let ask: ReturnType<typeof vi.fn<KnownSessions['find']>>;
let known: KnownSessions;

beforeEach(async () => {
  database = await sqlite.create();
  store = await database.open();
  other = await database.open();
  ask = vi.fn((hash, now) =>
    store.transaction(({ sessions }) => sessions.findPluginSession(hash, now)),
  );
  known = await remember();
});

afterEach(() => database.destroy());

async function remember(): Promise<KnownSessions> {
  const engine = await openEngine(database.location);
  onTestFinished(() => engine.close());
  await engine.check();
  if (!engine.followChanges) throw new Error('SQLite must have a change log');
  return rememberSessions(ask, engine.followChanges);
}

async function openSession(expiresAt = 10) {
  const installation = await begin(other);
  const { id: installationId, generation } = installation;
  const session = { installationId, generation, userId: 'u', instanceId: 'i', expiresAt };
  const hash = randomUUID();
  await other.sessions.createPluginSession(hash, session, randomUUID());
  return { installation, hash };
}

/** Ends all sessions as another process would, without a turn of the event loop. */
function endSessionsNow(installationId: string): void {
  const { path } = database.location as { path: string };
  const raw = new DatabaseSync(path);
  raw.exec('begin immediate; update plugin_sessions set generation = 0');
  raw
    .prepare("insert into changes (installation_id, of_tokens, origin) values (?, 0, 'x')")
    .run(installationId);
  raw.exec('commit');
  raw.close();
}

/** A turn begins when the event loop asks for I/O, which it does between two `setImmediate`. */
async function nextTurn(): Promise<void> {
  await afterPoll();
  await afterPoll();
}

function blockTurn(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a session is asked for once, also while other installations change', async () => {
  const { hash, installation } = await openSession();
  const first = await known.find(hash, 9);
  expect(first?.installationId).toBe(installation.id);

  for (let count = 0; count < 3; count += 1) {
    await openSession();
    expect(await known.find(hash, 9)).toEqual(first);
  }

  expect(ask).toHaveBeenCalledOnce();
});

test('what was not found is asked for again', async () => {
  const hash = randomUUID();

  expect(await known.find(hash, 9)).toBeUndefined();
  expect(await known.find(hash, 9)).toBeUndefined();

  expect(ask).toHaveBeenCalledTimes(2);
});

test('a known session ends at its time', async () => {
  const { hash } = await openSession(10);
  expect(await known.find(hash, 9)).toBeDefined();

  expect(await known.find(hash, 10)).toBeUndefined();
  expect(await known.find(hash, 9)).toBeDefined();
});

test('a change of another process counts from the next turn of the event loop', async () => {
  const { hash, installation } = await openSession();
  await known.find(hash, 9);

  endSessionsNow(installation.id);
  await nextTurn();

  expect(await known.find(hash, 9)).toBeUndefined();
});

test('one look counts for all sessions of a turn, and for none of the next one', async () => {
  const look = vi.fn(() => true);
  const counted = rememberSessions(
    async () => undefined,
    () => look,
  );
  await afterPoll();

  await Promise.all([counted.find('a', 9), counted.find('b', 9)]);
  expect(look).toHaveBeenCalledOnce();
  // Before its `setImmediate`, the loop asks for I/O, and may hear of another process's commit.
  await afterPoll();
  await counted.find('a', 9);

  expect(look).toHaveBeenCalledTimes(2);
});

test('while the log has more than a look reads, a turn reads it once', async () => {
  const look = vi.fn(() => false);
  const counted = rememberSessions(
    async () => undefined,
    () => look,
  );

  await Promise.all([counted.find('a', 9), counted.find('b', 9)]);

  expect(look).toHaveBeenCalledOnce();
});

test('an announced change counts at once, also in the same turn', async () => {
  const { hash, installation } = await openSession();
  await known.find(hash, 9);
  await nextTurn();
  // A call looks, and then another process commits.
  const asked = known.find(hash, 9);
  endSessionsNow(installation.id);
  expect(await asked).toBeDefined();

  known.forget(installation.id);

  expect(await known.find(hash, 9)).toBeUndefined();
});

test('a listener that hears of the end of a session finds none', async () => {
  const { hash, installation } = await openSession();
  const find = () => store.sessions.findPluginSession(hash, 9);
  await find();
  let isEnded = false;
  const found = new Promise((resolve) => {
    store.onChange(() => {
      // The beginning of the installation may be heard as late as this.
      if (isEnded) resolve(find());
    });
  });

  // All timers that were due have run.
  await nextTurn();
  setTimeout(() => {
    void find();
    endSessionsNow(installation.id);
    isEnded = true;
  }, 1);
  // So the timer that reads the log for the listeners is due in the same turn, after this one.
  blockTurn(200);

  expect(await found).toBeUndefined();
});

test('a session that ends between the query and its answer is not kept', async () => {
  const { hash, installation } = await openSession();
  const query = ask.getMockImplementation();
  const queried = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  ask.mockImplementationOnce(async (asked, now) => {
    const session = await query?.(asked, now);
    queried.resolve();
    await answered.promise;
    return session;
  });
  const first = known.find(hash, 9);
  await queried.promise;

  await uninstall(other, installation, 2);
  // Another call looks, and so passes over the change.
  await known.find(randomUUID(), 9);
  answered.resolve();
  expect(await first).toBeDefined();

  expect(await known.find(hash, 9)).toBeUndefined();
});

test('changes that maintenance has cut from the log forget all sessions', async () => {
  const { hash, installation } = await openSession();
  await known.find(hash, 9);

  endSessionsNow(installation.id);
  await database.execute(`delete from changes where installation_id = '${installation.id}'`);
  await openSession();

  expect(await known.find(hash, 9)).toBeUndefined();
});

test('a backup that is restored into the open file ends the sessions that it does not have', async () => {
  const { path } = database.location as { path: string };
  const copyPath = join(dirname(path), 'copy.sqlite');
  const raw = new DatabaseSync(path);
  await backup(raw, copyPath);
  raw.close();
  const { hash, installation } = await openSession();
  expect(await known.find(hash, 9)).toBeDefined();

  const copy = new DatabaseSync(copyPath);
  await backup(copy, path);
  copy.close();

  expect(await known.find(hash, 9)).toBeUndefined();
  expect(await other.installations.find(installation)).toBeUndefined();
});

test('more changes than one look reads forget no session too late', async () => {
  const { hash, installation } = await openSession();
  await known.find(hash, 9);
  await database.execute(`insert into changes (installation_id, of_tokens, origin)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 25000)
    select 'another ' || n, 0, 'x' from numbers`);
  endSessionsNow(installation.id);

  expect(await known.find(hash, 9)).toBeUndefined();
  expect(await known.find(hash, 9)).toBeUndefined();
});

test('while the log cannot be read, the database is asked', async () => {
  const { hash } = await openSession();
  const look = vi.fn(() => true);
  const broken = rememberSessions(ask, () => look);
  await broken.find(hash, 9);
  await nextTurn();
  look.mockImplementationOnce(() => {
    throw new Error('disk I/O error');
  });

  await broken.find(hash, 9);
  expect(ask).toHaveBeenCalledTimes(2);
  await nextTurn();
  await broken.find(hash, 9);
  expect(ask).toHaveBeenCalledTimes(2);
});

test('beyond its limit, a session is forgotten rather than a change', async () => {
  const limit = 10_000;
  const change = vi.fn();
  const many = rememberSessions(
    async (hash) => ({ installationId: hash, expiresAt: 10, claims: {} }) as FoundPluginSession,
    ({ onChange }) => {
      change.mockImplementation((installationId) =>
        onChange({ installationId, ofTokens: false }, 'x'),
      );
      return () => true;
    },
  );
  const first = await many.find('first', 9);
  for (let count = 0; count < limit; count += 1) {
    await many.find(`session ${count}`, 9);
    // It stays among the used sessions, but its installation is not found again.
    if (count % 100 === 0) await many.find('first', 9);
  }
  const last = await many.find('first', 9);
  expect(last).not.toBe(first);

  change('first');

  expect(await many.find('first', 9)).not.toBe(last);
});
