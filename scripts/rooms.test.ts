/**
 * A room is a folder of a package or an app. Rooms import downwards only, and the product knows nothing of its proof: see
 * the tree in ARCHITECTURE.md.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Import,
  listFiles,
  listProduct,
  listSources,
  readImports,
  resolveImport,
} from './read-imports.ts';
import { root } from './run-step.ts';

/** The folders that every page of the dashboard may import. No page imports another one. */
const dashboard = ['states', 'charts', 'shared', 'api', 'i18n'];

/** The rooms of each source folder, from top to bottom, each with the rooms that it may import. */
const roomsBySource: Record<string, Record<string, string[]>> = {
  'apps/admin/src': {
    shell: ['palette', ...dashboard],
    palette: dashboard,
    alerts: dashboard,
    audit: dashboard,
    hooks: dashboard,
    installation: dashboard,
    installations: dashboard,
    keys: dashboard,
    overview: dashboard,
    people: dashboard,
    calls: dashboard,
    events: dashboard,
    settings: dashboard,
    'sign-in': dashboard,
    states: ['shared', 'api', 'i18n'],
    charts: ['i18n'],
    shared: ['api', 'i18n'],
    api: ['i18n'],
    i18n: [],
  },
  'apps/emulator/src': { web: [] },
  'apps/emulator/src/web': {
    home: ['people'],
    lab: ['faults'],
    plugins: ['examination', 'exchanges'],
    examination: [],
    exchanges: [],
    faults: [],
    shell: ['inbox', 'sign-in', 'i18n'],
    inbox: [],
    'sign-in': ['people'],
    people: [],
    i18n: [],
  },
  'packages/admin-api/src': { fleet: [] },
  'packages/adapter/src': { client: [], compat: [], react: [], 'fake-host': [] },
  'packages/conformance/src': { checks: ['world', 'call'], world: ['call'], call: [], report: [] },
  'packages/dev/src': {
    doctor: ['playwright'],
    playwright: ['front', 'back-end', 'platform'],
    vitest: [],
    front: ['back-end'],
    'back-end': [],
    control: [],
    installation: [],
    manifest: [],
    platform: ['examination'],
    examination: [],
    watch: [],
  },
  'packages/emulator/src': { 'authorization-server': [] },
  'packages/installation-store/src': {
    contract: ['operators', 'samples', 'alerts', 'stores', 'sql'],
    rotation: ['sealing', 'sql'],
    operators: ['retention', 'stores', 'reports', 'sql'],
    samples: ['retention', 'reports', 'sql'],
    alerts: ['sql'],
    retention: ['stores', 'sql'],
    stores: ['sealing', 'sql'],
    reports: ['sql'],
    sealing: ['sql'],
    sqlite: ['sql'],
    postgres: ['sql'],
    sql: [],
  },
  'packages/platform-jwt/src': { keys: ['jws'], jws: [] },
  'packages/schema/src': { manifest: ['json'], shapes: ['json'], json: [] },
  'packages/server/src': {
    process: ['app', 'metrics', 'settings', 'http', 'dashboard', 'hooks', 'log', 'base'],
    app: [
      'metrics',
      'settings',
      'http',
      'dashboard',
      'actions',
      'alerts',
      'hooks',
      'operations',
      'sessions',
      'events',
      'frontend',
      'platform',
      'log',
      'base',
    ],
    metrics: ['hooks', 'events', 'base'],
    settings: ['http', 'dashboard', 'alerts', 'hooks', 'operations', 'events', 'platform', 'base'],
    http: ['dashboard', 'operations', 'sessions', 'events', 'request', 'log', 'base'],
    dashboard: ['actions', 'alerts', 'sessions', 'frontend', 'request', 'log', 'base'],
    actions: ['alerts', 'log', 'base'],
    alerts: ['log', 'base'],
    hooks: ['operations', 'platform', 'log', 'base'],
    operations: ['platform', 'sessions', 'request', 'log', 'base'],
    sessions: ['events', 'request', 'log', 'base'],
    events: ['request', 'log', 'base'],
    frontend: ['request', 'base'],
    platform: ['base'],
    request: ['log', 'base'],
    base: ['log'],
    log: [],
  },
  proof: { controls: [], faults: [], kills: [], simulator: [] },
};

/** A source folder: its files, and what each imports of the others. */
type Source = Map<string, Import[]>;

function readSource(source: string): Source {
  return new Map(
    listProduct(source).map((file) => [
      file.slice(source.length + 1),
      readImports(file).flatMap(({ path, isRuntime }) => {
        const target = resolveImport(file, path);
        if (!target?.startsWith(`${source}/`)) return [];
        return [{ path: target.slice(source.length + 1), isRuntime }];
      }),
    ]),
  );
}

/** The folder that a file is in. Undefined: it is on top of the rooms. */
function roomOf(file: string): string | undefined {
  const [folder, ...below] = file.split('/');
  return below.length > 0 ? folder : undefined;
}

/** A file on top belongs to all rooms if it loads none of them, neither directly nor through another file. */
function loadsNoRoom(source: Source, file: string): boolean {
  const loaded = (source.get(file) ?? []).filter(({ isRuntime }) => isRuntime);
  return loaded.every(({ path }) => !roomOf(path) && loadsNoRoom(source, path));
}

function mayImport(source: Source, allowed: readonly string[], file: string): boolean {
  const room = roomOf(file);
  return room === undefined ? loadsNoRoom(source, file) : allowed.includes(room);
}

test.each([...new Set([...listSources(), ...Object.keys(roomsBySource)])])(
  'every folder of %s is a room that is named here',
  (folder) => {
    const rooms = [...readSource(folder).keys()].flatMap((file) => roomOf(file) ?? []);

    expect([...new Set(rooms)].sort()).toEqual(Object.keys(roomsBySource[folder] ?? {}).sort());
  },
);

test('the architecture names every room', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const rooms = Object.values(roomsBySource).flatMap((each) => Object.keys(each));

  expect(rooms.filter((room) => !new RegExp(`\\s${room}/[\\s,]`).test(text))).toEqual([]);
});

describe.each(Object.entries(roomsBySource))('the rooms of %s', (folder, rooms) => {
  const source = readSource(folder);
  const names = Object.keys(rooms);

  test.each(Object.entries(rooms))('%s imports nothing from above', (room, below) => {
    const files = [...source].filter(([file]) => roomOf(file) === room);
    const upward = files.flatMap(([file, imports]) =>
      imports
        .filter(({ path }) => !mayImport(source, [room, ...below], path))
        .map(({ path }) => `${file} imports ${path}`),
    );

    expect(files.length).toBeGreaterThan(0);
    expect(upward).toEqual([]);
    expect(below.filter((each) => names.indexOf(each) <= names.indexOf(room))).toEqual([]);
  });
});

const product = '{packages,apps}/*';
const anySource = '/**/*.{ts,tsx,js,mjs}';

/** Returns the files that import a matching name. */
function importersOf(files: readonly string[], name: RegExp): string[] {
  return files.filter((file) => readImports(file).some(({ path }) => name.test(path)));
}

describe('the proof', () => {
  test('is imported by no package and no app', () => {
    const files = listFiles(`${product}/src${anySource}`);
    const manifests = listFiles(`${product}/package.json`);
    const dependent = manifests.filter((file) =>
      readFileSync(join(root, file), 'utf8').includes('@dowel/proof'),
    );

    expect(files.length).toBeGreaterThan(300);
    expect(manifests.length).toBeGreaterThan(10);
    expect(importersOf(files, /^@dowel\/proof|\/proof\//)).toEqual([]);
    expect(dependent).toEqual([]);
  });

  test('has no folder among the product', () => {
    const rooms = '{kills,simulator,controls}';

    expect(listFiles(`proof/${rooms}`)).toHaveLength(3);
    expect(listFiles(`${product}/src/**/${rooms}`)).toEqual([]);
  });

  test('imports packages by their entries, never a file of their sources', () => {
    const files = listFiles(`proof${anySource}`);

    expect(files.length).toBeGreaterThan(60);
    expect(importersOf(files, /\.\.\/(?:packages|apps)\/|^@dowel\/[^/]+\/src/)).toEqual([]);
  });
});
