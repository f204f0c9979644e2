/** Follows changes of the author's files, one after the other: starts the back end again, and updates the installation. */
import { EventEmitter, once } from 'node:events';
import { compareManifests } from '@dowel/emulator';
import type { Manifest } from '@dowel/schema';
import type { BackEnd } from './back-end/back-end.ts';
import type { Say } from './dev-line.ts';
import type { Page } from './front/page.ts';
import type { Installer } from './installation/installer.ts';
import { checkManifest } from './manifest/check-manifest.ts';
import { describeChange } from './manifest/describe-change.ts';
import { watchFiles } from './watch/watch-files.ts';

/** What a person may ask for: another process, another installation, or an access_token event. */
export type DevAction = 'restart' | 'install' | 'sendAccessToken';

export interface Following {
  root: string;
  signal: AbortSignal;
  say: Say;
  backEnd: BackEnd;
  /** Undefined: the folder has no page for Vite. */
  page: Page | undefined;
  installer: Installer;
  /** The manifest's file, and where the platform reads it. */
  manifest: { path: string; url: string };
  closers: (() => Promise<unknown>)[];
}

interface Context extends Following {
  /** The last manifest that could be used. Undefined: there was none yet. */
  current: Manifest | undefined;
  needed: Set<DevAction | 'sync'>;
  /** How often a task was added. */
  count: number;
  /** Emits `needed` when a task was added. */
  tasks: EventEmitter;
}

/** Resolves when no change is missed any more. Returns how to ask for an action. */
export async function followChanges(following: Following): Promise<(action: DevAction) => void> {
  const context: Context = {
    ...following,
    current: undefined,
    needed: new Set(),
    count: 0,
    tasks: new EventEmitter(),
  };
  const watching = watchFiles(following.root, (paths) => void readChange(context, paths));
  following.closers.push(async () => (await watching).close());
  const [first] = await Promise.all([readManifest(context), watching]);
  if (first !== 'broken') context.needed.add('sync');
  void work(context);
  return (action) => need(context, action);
}

function need(context: Context, ...added: (DevAction | 'sync')[]): void {
  for (const each of added) context.needed.add(each);
  context.count += 1;
  context.tasks.emit('needed');
}

async function readChange(context: Context, paths: ReadonlySet<string>): Promise<void> {
  const { manifest, say } = context;
  const others = [...paths].filter((path) => path !== manifest.path);
  if (others.some((path) => concernsBackEnd(path, context))) need(context, 'restart');
  if (!paths.has(manifest.path)) return;
  const before = context.current;
  const after = await readManifest(context);
  if (after === 'broken') return;
  if (before && after) {
    for (const change of compareManifests(before, after)) say('manifest', describeChange(change));
  }
  need(context, 'restart', 'sync');
}

/**
 * Whether a changed file starts the back end again. What only the page has loaded, Vite updates there. JSON that the back
 * end has not imported may be data that it writes itself: each start would then begin the next one.
 */
export function concernsBackEnd(
  path: string,
  {
    backEnd,
    page,
  }: { backEnd: Pick<BackEnd, 'hasLoaded'>; page: Pick<Page, 'hasLoaded'> | undefined },
): boolean {
  if (backEnd.hasLoaded(path)) return true;
  return !path.endsWith('.json') && !page?.hasLoaded(path);
}

/** A broken manifest leaves the one before as it is. */
async function readManifest(context: Context): Promise<Manifest | 'broken' | undefined> {
  const { manifest, say } = context;
  const read = await checkManifest(manifest.path, { url: manifest.url, say });
  if (read !== 'broken') context.current = read;
  else if (context.current) say('manifest', 'The installation keeps the manifest from before.');
  return read;
}

/** Does one task after another. A change while the back end starts begins the next start: it may never listen. */
async function work(context: Context): Promise<void> {
  const { signal, needed, tasks, backEnd } = context;
  let seen = -1;
  while (!signal.aborted) {
    if (context.count === seen) await once(tasks, 'needed', { signal }).catch(() => {});
    seen = context.count;
    if (signal.aborted) return;
    if (needed.delete('restart')) await backEnd.restart();
    const port = context.count === seen ? await waitForBackEnd(context) : undefined;
    if (port !== undefined) await keepInstalled(context);
  }
}

/** Resolves with undefined when it has ended, or when something else is needed. */
async function waitForBackEnd({ signal, tasks, backEnd }: Context): Promise<number | undefined> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  tasks.once('needed', interrupt);
  const port = await backEnd.port(AbortSignal.any([signal, interrupted.signal]));
  tasks.off('needed', interrupt);
  return port;
}

async function keepInstalled({ needed, installer }: Context): Promise<void> {
  const isSyncNeeded = needed.delete('sync') || !installer.isInstalled();
  if (needed.delete('install')) await installer.again();
  else if (isSyncNeeded) await installer.sync();
  if (needed.delete('sendAccessToken')) await installer.sendAccessToken();
}
