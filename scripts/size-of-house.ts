/**
 * How large the house is: lines by room and kind, packages, exports, settings, words of documents, and how many files of
 * ours run on the way of four journeys. `node scripts/size-of-house.ts` prints it; CI shows it, and nothing fails by it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { basename, dirname, join } from 'node:path';
import { settings } from '../packages/server/src/settings/settings.ts';
import { startWorld, type World } from '../packages/server/src/testing/start-world.ts';
import { listFiles, listManifests } from './read-docs.ts';
import { root } from './run-step.ts';

const kinds = ['product', 'tests', 'support', 'proof', 'bench', 'scripts'] as const;
type Kind = (typeof kinds)[number];

const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
const wordsOf = (file: string) => readFileSync(join(root, file), 'utf8').split(/\s+/).length;

function kindOf(file: string): Kind {
  const [top] = file.split('/');
  if (/\.(?:test|spec)\.tsx?$/.test(file)) return 'tests';
  if (top === 'proof' || top === 'bench' || top === 'scripts') return top;
  if (
    /\/(?:testing|contract)\/|^(?:e2e|examples|packages\/create-dowel\/template-\w+)\//.test(file)
  )
    return 'support';
  return 'product';
}

/** A package's room is a folder below `src`. */
function roomOf(file: string): string {
  const [top = '', name = '', , room = ''] = file.split('/');
  if (top !== 'packages' && top !== 'apps') return top;
  return room.includes('.') || room === '' ? `${top}/${name}` : `${top}/${name}/${room}`;
}

function addUp(files: readonly string[], nameOf: (file: string) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const file of files) sums.set(nameOf(file), (sums.get(nameOf(file)) ?? 0) + linesOf(file));
  return sums;
}

async function countCode(): Promise<void> {
  const files = await listFiles('*.ts', '*.tsx', '*.css', '*.mjs');
  const byKind = addUp(files, kindOf);
  const all = [...byKind.values()].reduce((sum, each) => sum + each, 0);
  print('lines', {
    all,
    ...Object.fromEntries(kinds.map((kind) => [kind, byKind.get(kind) ?? 0])),
  });
  const product = files.filter((file) => kindOf(file) === 'product');
  const rooms = [...addUp(product, roomOf)].toSorted(([, a], [, b]) => b - a);
  print('product lines by room', Object.fromEntries(rooms));
}

async function countMaps(): Promise<void> {
  const packages = await listManifests('packages');
  const docs = await listFiles('*.md');
  print('maps', {
    packages: packages.length,
    settings: Object.keys(settings).length,
    'words of documents': docs.reduce((sum, file) => sum + wordsOf(file), 0),
    'decision pages': docs.filter((file) => file.startsWith('docs/decisions/')).length,
  });
  const exported = packages.map((file) => {
    const folder = dirname(file);
    return [basename(folder), countExports(join(folder, 'src/index.ts'))] as const;
  });
  print('exports of each package', Object.fromEntries(exported));
}

/** An entry point only passes on what its files export. */
function countExports(entry: string): number {
  if (!existsSync(join(root, entry))) return 0;
  const lists = readFileSync(join(root, entry), 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return [...lists].flatMap(([, names = '']) => names.split(',').filter((name) => name.trim()))
    .length;
}

/** Files of packages in which a function ran meanwhile. */
async function filesOf(session: Session, journey: () => Promise<unknown>): Promise<number> {
  await session.post('Profiler.takePreciseCoverage');
  await journey();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(
    ({ url, functions }) =>
      /\/packages\/(?!emulator)[^/]+\/src\/(?!.*testing\/)/.test(url) &&
      functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]?.count !== 0),
  );
  return ran.length;
}

async function countJourneys(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await using world: World = await startWorld();
  let instanceId = '';
  let pluginId = '';
  let page = '';
  const install = await filesOf(session, async () => {
    ({ instanceId, pluginId } = await world.install());
  });
  const opened = await filesOf(session, async () => {
    page = await world.openSession(instanceId);
  });
  await world.notify(page, 'first');
  const call = await filesOf(session, () => world.notify(page, 'second'));
  const { tenantId } = world;
  const uninstall = await filesOf(session, () => world.platform.uninstall({ tenantId, pluginId }));
  session.disconnect();
  print('files on the way of', {
    'an install': install,
    'a page that opens its session': opened,
    'a warm createNotification': call,
    'an uninstall': uninstall,
  });
}

function print(title: string, rows: Record<string, number>): void {
  process.stdout.write(`\n${title}\n`);
  for (const [name, count] of Object.entries(rows)) {
    process.stdout.write(`${count.toLocaleString('en').padStart(10)}  ${name}\n`);
  }
}

await countCode();
await countMaps();
await countJourneys();
