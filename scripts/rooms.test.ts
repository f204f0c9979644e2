/** The rooms of a package import downwards only: see the tree in ARCHITECTURE.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './run-step.ts';

/** The rooms that each room may import, and the files on top that every room may. */
const packages = [
  {
    source: 'packages/installation-store/src',
    shared: ['store.ts', 'errors.ts'],
    rooms: {
      rotation: ['sealing', 'sql'],
      stores: ['sealing', 'sql'],
      reports: ['sql'],
      retention: ['sql'],
      sealing: ['sql'],
      sqlite: ['sql'],
      postgres: ['sql'],
      sql: [],
    },
  },
  {
    source: 'packages/platform-jwt/src',
    shared: ['errors.ts'],
    rooms: { keys: ['jws'], jws: [] },
  },
];

function isProduct(file: string): boolean {
  return file.endsWith('.ts') && !file.endsWith('.test.ts');
}

/** The files that a file imports, relative to the sources. */
function importsOf(source: string, file: string): string[] {
  const text = readFileSync(join(root, source, file), 'utf8');
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
    relative('.', join(dirname(file), path)),
  );
}

describe.each(packages)('the rooms of $source', ({ source, shared, rooms }) => {
  test.each(Object.entries(rooms))('%s imports nothing from above', (room, below) => {
    const files = readdirSync(join(root, source, room)).filter(isProduct);
    const upward = files.flatMap((file) =>
      importsOf(source, join(room, file))
        .filter((path) => ![room, ...below].some((allowed) => path.startsWith(`${allowed}/`)))
        .filter((path) => !shared.includes(path))
        .map((path) => `${room}/${file} imports ${path}`),
    );

    expect(files.length).toBeGreaterThan(1);
    expect(upward).toEqual([]);
  });
});
