/**
 * How the stores of one SQLite file notice each other's changes. Which changes they must notice is in the
 * contract.
 */
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { begin } from '../contract/check.ts';
import { openEngine } from '../open-engine.ts';
import type { Store } from '../store.ts';
import { sqlite, type TestDatabase } from '../testing/index.ts';
import { readChanges } from './change-reader.ts';

let database: TestDatabase;
let store: Store;
let other: Store;

beforeEach(async () => {
  database = await sqlite.create();
  store = await database.open();
  other = await database.open();
});

afterEach(() => database.destroy());

test('each change of another store is announced once, and each own one too', async () => {
  const heard: string[] = [];
  store.onChange((id) => heard.push(String(id)));
  const installations = [await begin(other), await begin(store), await begin(other)];

  await expect.poll(() => heard.toSorted()).toEqual(installations.map(({ id }) => id).toSorted());
  const last = await begin(other);
  await expect.poll(() => heard).toContain(last.id);
  expect(heard).toHaveLength(4);
});

test('what another process commits is heard within 100 ms', () => {
  vi.useFakeTimers();
  const { path } = database.location as { path: string };
  const [reading, writing] = [new DatabaseSync(path), new DatabaseSync(path)];
  const heard: string[] = [];
  const stop = readChanges(reading, {
    onChange: ({ installationId }) => heard.push(installationId),
    onGap: () => heard.push('gap'),
    isHeard: () => true,
  });

  writing.exec("insert into changes (installation_id, of_tokens, origin) values ('a', 1, 'x')");
  vi.advanceTimersByTime(100);
  stop();
  vi.useRealTimers();

  expect(heard).toEqual(['a']);
  for (const each of [reading, writing]) each.close();
});

test('a store that slept while maintenance cut the log notices that it missed something', async () => {
  const heard: (string | null)[] = [];
  store.onChange((id) => heard.push(id));
  const { path } = database.location as { path: string };
  const cutting = new DatabaseSync(path);
  const write = cutting.prepare(
    "insert into changes (installation_id, of_tokens, origin) values (?, 1, 'x')",
  );
  // The store looks only between turns of the event loop.
  for (const id of ['missed', 'kept']) write.run(id);
  cutting.exec("delete from changes where installation_id = 'missed'");
  cutting.close();

  await expect.poll(() => heard).toEqual([null, 'kept']);
});

test('the log is not read while there is no listener', async () => {
  const engine = await openEngine(database.location);
  await engine.check();
  const { path } = database.location as { path: string };
  const raw = new DatabaseSync(path);
  let asked = 0;
  let isHeard = false;
  const heard: string[] = [];
  const stop = readChanges(raw, {
    onChange: ({ installationId }) => heard.push(installationId),
    onGap: () => heard.push('gap'),
    isHeard() {
      asked += 1;
      return isHeard;
    },
  });

  const { id } = await begin(other);
  await expect.poll(() => asked).toBeGreaterThan(2);
  expect(heard).toEqual([]);
  isHeard = true;
  await expect.poll(() => heard).toEqual([id]);

  stop();
  raw.close();
  await engine.close();
});
