/** The controls of proof/controls are named in the code and in docs/threats.md: one that has moved guards nothing. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { controls, lineOf } from '../proof/controls/controls.ts';
import { listFiles, read, readThreats } from './read-docs.ts';

const names = controls.map(({ file, id }) => `${file}#${id}`);

test.each(controls)('$id is named once in the code, and its tests are there', async (control) => {
  const source = await read(control.file);

  expect(source.match(lineOf(control))).toHaveLength(1);
  for (const file of control.tests)
    expect(existsSync(new URL(`../${file}`, import.meta.url))).toBe(true);
});

test('the code names no other control', async () => {
  const found: string[] = [];
  for (const file of await listFiles('packages/*.ts', 'apps/*.ts')) {
    const source = await read(file);
    for (const [, id] of source.matchAll(/\/\/ control (\w+)/g)) found.push(`${file}#${id}`);
  }

  expect(found.sort()).toEqual(names.toSorted());
});

test('docs/threats.md names each control in its row, and no other one', async () => {
  const rows = readThreats(await read('docs/threats.md'));
  const found = rows.flatMap(({ ids, files }) =>
    files
      .filter((file) => file.includes('#'))
      .map((name) => (ids.includes(name.replace(/.*#/, '')) ? name : `${name} in ${ids.join()}`)),
  );

  expect(found.sort()).toEqual(names.toSorted());
});
