/**
 * A platform that sends the next event at once after each answer: it installs, sends new tokens,
 * uninstalls. Events that were answered 201 are compared with the database afterwards.
 */
import { randomUUID } from 'node:crypto';
import type { CrashPlatform } from './crash-platform.ts';
import type { CrashWorld } from './crash-world.ts';
import { installPlugin } from './placed-plugin.ts';
import type { Random } from './random.ts';
import { findInstallation, loadGrant } from './stored-state.ts';

const concurrency = 8;

export interface Loss {
  pluginId: string;
  /** The found differences. */
  problem: string;
}

interface WritersContext {
  readonly shared: CrashPlatform;
  readonly world: CrashWorld;
  readonly random: Random;
  /** The installed plug-ins by the platform's records. */
  readonly installed: string[];
  /** The plug-ins of these writers; others may use the platform too. */
  readonly own: Set<string>;
  isStopping: boolean;
}

/** The events of one plug-in that were answered 201. */
interface Acknowledged {
  pluginId: string;
  isUninstalled: boolean;
  codes: string[];
}

export type Writers = ReturnType<typeof createWriters>;

export function createWriters(shared: CrashPlatform, world: CrashWorld, random: Random) {
  const context: WritersContext = {
    shared,
    world,
    random,
    installed: [],
    own: new Set(),
    isStopping: false,
  };
  const running = Array.from({ length: concurrency }, () => writeOn(context));
  return {
    /** Ends the writing, and waits for what is under way. */
    async stop(): Promise<void> {
      context.isStopping = true;
      await Promise.all(running);
    },
    nextTaken: (count: number) => nextTaken(context, count),
    countAcknowledged: () =>
      listAcknowledged(context).reduce((sum, { codes }) => sum + codes.length, 0),
    findLost: () => findLost(context),
    findStuck: () => findStuck(context),
  };
}

async function writeOn(context: WritersContext): Promise<void> {
  // Errors are ignored: another writer may have just ended the installation.
  while (!context.isStopping) await write(context).catch(() => {});
}

async function write(context: WritersContext): Promise<void> {
  const { shared, world, random, installed } = context;
  const { platform, tenantId } = shared;
  await world.locate();
  const dice = random();
  const pluginId = installed[Math.floor(random() * installed.length)];
  if (pluginId === undefined || dice < 0.6) return install(context);
  const key = { tenantId, pluginId };
  if (dice < 0.9) return void (await platform.sendAccessTokenEvent(key));
  installed.splice(installed.indexOf(pluginId), 1);
  await platform.uninstall(key);
}

async function install({ world, installed, own }: WritersContext): Promise<void> {
  const pluginId = randomUUID();
  own.add(pluginId);
  try {
    await installPlugin(world, pluginId);
    installed.push(pluginId);
  } catch {
    // No answer came: the platform has sent the uninstall.
  }
}

/** Resolves when so many more codes have been taken. */
async function nextTaken({ shared, own }: WritersContext, count: number): Promise<void> {
  for (let taken = 0; taken < count; taken += 1) {
    await shared.records.next(
      ({ code, status, pluginId }) => code !== undefined && status === 201 && own.has(pluginId),
    );
  }
}

function listAcknowledged({ shared, own }: WritersContext): Acknowledged[] {
  const taken = shared.records.answers.filter(({ status }) => status === 201);
  const events = Map.groupBy(taken, ({ pluginId }) => pluginId);
  return [...events]
    .filter(([pluginId]) => own.has(pluginId))
    .map(([pluginId, answers]) => ({
      pluginId,
      isUninstalled: answers.some(({ event }) => event === 'uninstall'),
      codes: answers.flatMap(({ code }) => code ?? []),
    }));
}

/** Acknowledged tokens that are missing, unreadable, useless, or older than the acknowledged ones. */
async function findLost(context: WritersContext): Promise<Loss[]> {
  const losses: Loss[] = [];
  for (const acknowledged of listAcknowledged(context)) {
    const problem = await findProblem(context, acknowledged);
    if (problem !== undefined) losses.push({ pluginId: acknowledged.pluginId, problem });
  }
  return losses;
}

async function findProblem(
  { shared, world }: WritersContext,
  { pluginId, isUninstalled, codes }: Acknowledged,
): Promise<string | undefined> {
  const stored = await loadGrant(world, pluginId).catch((error: Error) => error.message);
  if (isUninstalled) return stored === undefined ? undefined : 'kept after its uninstall';
  const accessToken = typeof stored === 'object' ? stored.accessToken.reveal() : undefined;
  const issued = listIssued(shared, pluginId);
  const storedAt = issued.findIndex((grant) => grant.accessToken?.value === accessToken);
  const promisedAt = issued.findIndex(({ code }) => code === codes.at(-1));
  if (codes.length > 0 && (storedAt === -1 || storedAt < promisedAt)) {
    return typeof stored === 'string' ? stored : 'not stored';
  }
  const isUseless = accessToken && (await shared.isRefused(pluginId, accessToken));
  return isUseless ? 'refused by the platform' : undefined;
}

/** The grants that the platform has issued to a plug-in, the oldest first. */
function listIssued({ platform }: CrashPlatform, pluginId: string) {
  const clients = platform.snapshot().tenants.flatMap((tenant) => tenant.clients);
  return clients.find((client) => client.pluginId === pluginId)?.grants ?? [];
}

/** Returns the installed plug-ins that have not recovered. */
async function findStuck({ world, installed }: WritersContext): Promise<string[]> {
  const installations = await Promise.all(
    installed.map((pluginId) => findInstallation(world, pluginId)),
  );
  return installations.flatMap((each) => (each?.status === 'active' ? [] : [each?.id ?? '']));
}
