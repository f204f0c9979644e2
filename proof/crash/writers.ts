/**
 * A platform that sends as fast as it is answered: it installs, sends new tokens, uninstalls. What it
 * was answered 201 is checked against the database afterwards.
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
  /** The differences that were found. */
  problem: string;
}

export type Writers = ReturnType<typeof createWriters>;

export function createWriters(shared: CrashPlatform, world: CrashWorld, random: Random) {
  const { platform, tenantId, records } = shared;
  /** As the platform believes. */
  const installed: string[] = [];
  const own = new Set<string>();
  let isStopping = false;

  async function write(): Promise<void> {
    await world.locate();
    const dice = random();
    const pluginId = installed[Math.floor(random() * installed.length)];
    if (pluginId === undefined || dice < 0.6) return install();
    const key = { tenantId, pluginId };
    if (dice < 0.9) return void (await platform.sendAccessTokenEvent(key));
    installed.splice(installed.indexOf(pluginId), 1);
    await platform.uninstall(key);
  }

  async function install(): Promise<void> {
    const pluginId = randomUUID();
    own.add(pluginId);
    try {
      await installPlugin(world, pluginId);
      installed.push(pluginId);
    } catch {
      // No answer came: the platform has sent the uninstall.
    }
  }

  async function writeOn(): Promise<void> {
    // An installation that another writer has just ended is of no interest.
    while (!isStopping) await write().catch(() => {});
  }

  const running = Array.from({ length: concurrency }, writeOn);

  /** The events that were answered 201, by plug-in. */
  function acknowledged(): { pluginId: string; isUninstalled: boolean; codes: string[] }[] {
    const taken = records.answers.filter(({ status }) => status === 201);
    const events = Map.groupBy(taken, ({ pluginId }) => pluginId);
    return [...events]
      .filter(([pluginId]) => own.has(pluginId))
      .map(([pluginId, answers]) => ({
        pluginId,
        isUninstalled: answers.some(({ event }) => event === 'uninstall'),
        codes: answers.flatMap(({ code }) => code ?? []),
      }));
  }

  return {
    /** Ends the writing, and waits for what is under way. */
    async stop(): Promise<void> {
      isStopping = true;
      await Promise.all(running);
    },

    /** Resolves when so many more codes have been taken. */
    async nextTaken(count: number): Promise<void> {
      for (let taken = 0; taken < count; taken += 1) {
        await records.next(
          ({ code, status, pluginId }) => code !== undefined && status === 201 && own.has(pluginId),
        );
      }
    },

    countAcknowledged: () => acknowledged().reduce((sum, { codes }) => sum + codes.length, 0),

    /** Acknowledged tokens that are missing, unreadable, useless, or older than the acknowledged ones. */
    async findLost(): Promise<Loss[]> {
      const { tenants } = platform.snapshot();
      const clients = tenants.flatMap((tenant) => tenant.clients);
      const grants = new Map(clients.map((client) => [client.pluginId, client.grants]));
      const losses: Loss[] = [];
      for (const { pluginId, isUninstalled, codes } of acknowledged()) {
        const stored = await loadGrant(world, pluginId).catch((error: Error) => error.message);
        const accessToken = typeof stored === 'object' ? stored.accessToken.reveal() : undefined;
        const issued = grants.get(pluginId) ?? [];
        const storedAt = issued.findIndex((grant) => grant.accessToken?.value === accessToken);
        const promisedAt = issued.findIndex(({ code }) => code === codes.at(-1));
        if (isUninstalled) {
          if (stored !== undefined) losses.push({ pluginId, problem: 'kept after its uninstall' });
        } else if (codes.length > 0 && (storedAt === -1 || storedAt < promisedAt)) {
          losses.push({ pluginId, problem: typeof stored === 'string' ? stored : 'not stored' });
        } else if (accessToken && (await shared.isRefused(pluginId, accessToken))) {
          losses.push({ pluginId, problem: 'refused by the platform' });
        }
      }
      return losses;
    },

    /** Of those that the platform has installed: which ones have not been healed. */
    async findStuck(): Promise<string[]> {
      const installations = await Promise.all(
        installed.map((pluginId) => findInstallation(world, pluginId)),
      );
      return installations.flatMap((each) => (each?.status === 'active' ? [] : [each?.id ?? '']));
    },
  };
}
