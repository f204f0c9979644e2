/** Reports on SQLite: a thread reads for them. */
import { rename } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { CompiledQuery, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '../sql/database.ts';
import { sqlite, type TestDatabase } from '../testing/index.ts';
import { createReportReader } from './report-reader.ts';
import { openSqlite } from './sqlite-engine.ts';

let database: TestDatabase;
let path: string;
let engine: Engine;

beforeEach(async () => {
  database = await sqlite.create();
  ({ path } = database.location as { path: string });
  engine = openSqlite(path, Date.now);
  await engine.transaction((db) => sql`create table things (name text)`.execute(db));
});
afterEach(async () => {
  await engine.close();
  await database.destroy();
});

const namesOf = ({ reports }: Engine) =>
  sql<{ name: string }>`select name from things order by name`.execute(reports);

const addThing = ({ transaction }: Engine, name: string) =>
  transaction((db) => sql`insert into things (name) values (${name})`.execute(db));

/** Counts to a million, row by row. */
const countLong = ({ reports }: Engine) =>
  sql<{ n: number }>`with recursive numbers (n) as (
    select 1 union all select n + 1 from numbers where n < 1000000
  ) select max(n) as n from numbers`.execute(reports);

test('a report sees what was committed before it', async () => {
  await addThing(engine, 'a');
  expect((await namesOf(engine)).rows).toEqual([{ name: 'a' }]);

  await addThing(engine, 'b');
  expect((await namesOf(engine)).rows).toEqual([{ name: 'a' }, { name: 'b' }]);
});

test('the event loop goes on, and transactions too, while a long report is read', async () => {
  await namesOf(engine);
  const { setImmediate: nextTurn } = globalThis;
  let turns = 0;
  let isRead = false;
  const count = () => {
    turns += 1;
    if (!isRead) nextTurn(count);
  };
  const report = countLong(engine).finally(() => {
    isRead = true;
  });
  count();

  await addThing(engine, 'meanwhile');
  const wasRead = isRead;

  expect((await report).rows).toEqual([{ n: 1_000_000 }]);
  expect(wasRead).toBe(false);
  expect(turns).toBeGreaterThan(10);
});

test('a report that writes is refused', async () => {
  await expect(sql`insert into things (name) values ('x')`.execute(engine.reports)).rejects.toThrow(
    'readonly',
  );
  expect((await namesOf(engine)).rows).toEqual([]);
});

test('without the file a report fails as one of an unavailable database, and works again with it', async () => {
  await rename(path, `${path}.away`);
  await expect(namesOf(engine)).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    reason: 'database_unreachable',
  });
  await rename(`${path}.away`, path);

  expect((await namesOf(engine)).rows).toEqual([]);
});

test('after the end of its thread the reader is unavailable until another one answers', async () => {
  const ofEnding = createReportReader(path, 'db', new URL('data:text/javascript,'));
  const ofOthers = createReportReader(path, 'db');
  for (const reader of [ofEnding, ofOthers]) await reader.revive();

  await expect(ofEnding.execute(CompiledQuery.raw('select 1'))).rejects.toThrow('has ended');

  await expect(ofEnding.revive()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  await ofOthers.revive();
  for (const reader of [ofEnding, ofOthers]) await reader.close();
});

test('a report that waits when the store closes fails, and so does a later one', async () => {
  await namesOf(engine);
  const report = countLong(engine);
  const ended = expect(report).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  // Kysely hands a statement on in a later turn.
  await setImmediate();
  await engine.reports.destroy();
  await ended;

  await expect(namesOf(engine)).rejects.toThrow();
});
