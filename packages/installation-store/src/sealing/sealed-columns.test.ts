import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../open-engine.ts';
import { prepareEngine } from '../open-store.ts';
import { createKeyring } from './keyring.ts';
import { sealedColumns } from './sealed-columns.ts';

test('every column of the schema that ends in _sealed is listed, so that rotation reaches it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-columns-'));
  const engine = await prepareEngine(
    await openEngine({ path: join(folder, 'dowel.sqlite') }),
    createKeyring(randomBytes(32)),
  );
  const tables = await engine.db.introspection.getTables();
  await engine.close();
  await rm(folder, { recursive: true });

  const found = tables.flatMap(({ name, columns }) =>
    columns
      .filter((column) => column.name.endsWith('_sealed'))
      .map((column) => `${name}.${column.name}`),
  );
  const listed = Object.entries(sealedColumns).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  );
  // The key check contains no secret, and each start repairs it.
  expect(found.toSorted()).toEqual([...listed, 'key_checks.value_sealed'].toSorted());
});

test('no two columns have the same name in the additional data', () => {
  const names = Object.values(sealedColumns).flatMap((columns) => Object.values(columns));

  expect(new Set(names).size).toBe(names.length);
});
