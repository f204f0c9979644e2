/**
 * The rooms of a package import downwards only, and the product knows nothing of its proof: see the
 * tree in ARCHITECTURE.md.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './run-step.ts';

/** The rooms that each room may import, and the files on top that every room may. */
const packages = [
  {
    source: 'packages/installation-store/src',
    shared: [
      'store.ts',
      'account-store.ts',
      'hook-store.ts',
      'operator-store.ts',
      'fleet-reports.ts',
      'sample-store.ts',
      'alert-store.ts',
      'run-store.ts',
      'installation-reports.ts',
      'key-report.ts',
      'errors.ts',
    ],
    rooms: {
      rotation: ['sealing', 'sql'],
      operators: ['reports', 'retention', 'sql', 'stores'],
      samples: ['reports', 'retention', 'sql'],
      alerts: ['sql'],
      stores: ['sealing', 'sql'],
      reports: ['sql'],
      retention: ['sql', 'stores'],
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
  {
    source: 'packages/server/src',
    shared: ['errors.ts', 'observation.ts', 'plugins.ts', 'database-state.ts'],
    rooms: {
      http: ['dashboard', 'events', 'log', 'operations', 'request', 'sessions'],
      dashboard: ['actions', 'alerts', 'frontend', 'log', 'request', 'sessions'],
      actions: ['alerts', 'log'],
      alerts: ['log'],
      hooks: ['log', 'operations', 'platform'],
      operations: ['log', 'platform', 'request', 'sessions'],
      sessions: ['events', 'request'],
      events: ['log', 'request'],
      frontend: ['request'],
      platform: [],
      request: ['log'],
      log: [],
    },
  },
  {
    source: 'packages/emulator/src',
    shared: ['remove-first.ts'],
    rooms: { 'authorization-server': [] },
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

const product = '{packages,apps}/*';
const sources = '/**/*.{ts,tsx,js,mjs}';

function list(pattern: string): string[] {
  return globSync(pattern, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] });
}

/** Files that import something whose name fits. */
function importersOf(files: readonly string[], name: RegExp): string[] {
  return files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(/(?:from|import\(?) ?'([^']+)'/g)].some(([, path = '']) =>
      name.test(path),
    );
  });
}

describe('the proof', () => {
  test('is imported by no package and no app', () => {
    const files = list(`${product}/src${sources}`);
    const manifests = list(`${product}/package.json`);
    const dependent = manifests.filter((file) =>
      readFileSync(join(root, file), 'utf8').includes('@dowel/proof'),
    );

    expect(files.length).toBeGreaterThan(300);
    expect(manifests.length).toBeGreaterThan(10);
    expect(importersOf(files, /^@dowel\/proof|\/proof\//)).toEqual([]);
    expect(dependent).toEqual([]);
  });

  test('has no folder among the product', () => {
    const rooms = '{crash,simulator,scenarios,herd,controls}';

    expect(list(`proof/${rooms}`)).toHaveLength(4);
    expect(list(`${product}/src/**/${rooms}`)).toEqual([]);
  });

  test('imports packages by their entries, never a file of their sources', () => {
    const files = list(`proof${sources}`);

    expect(files.length).toBeGreaterThan(80);
    expect(importersOf(files, /\.\.\/(?:packages|apps)\/|^@dowel\/[^/]+\/src/)).toEqual([]);
  });
});
