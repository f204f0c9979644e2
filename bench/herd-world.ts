/** The platform, a database and several processes that share it. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgres } from '@dowel/installation-store/testing';
import { type Child, startChild } from './child-process.ts';
import type { HerdCommands, Tenant } from './herd-child.ts';
import type { Counts, PlatformCommands } from './platform-process.ts';

/** A process that takes longer has hung. */
const limitMs = 300_000;
/** Installations that are stored at once: more would wait too long for a connection. */
const batch = 100;

export interface WorldOptions {
  database: 'SQLite' | 'PostgreSQL';
  processes: number;
  /** Additional environment of the processes, such as a slow disk. */
  env: NodeJS.ProcessEnv;
}

interface Tokens {
  isExpired: boolean;
  /** Of the tokens of later refreshes. Default: an hour. */
  lifetimeSeconds?: number;
}

export interface Installed extends Tenant {
  /** The installation's id. */
  id: string;
}

/** PostgreSQL is the server of `DOWEL_TEST_POSTGRES_URL`. */
export async function startWorld({ database, processes, env }: WorldOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-bench-herd-'));
  const empty = database === 'PostgreSQL' ? await postgres.createEmpty() : undefined;
  const location = empty?.location ?? { path: join(folder, 'dowel.sqlite') };
  const key = randomBytes(32).toString('hex');
  const platform = startChild<PlatformCommands>('./platform-process.ts', [], limitMs);
  const { origin } = new URL((await platform.ask('open')).baseUrl);
  const children: Child<HerdCommands>[] = [];

  async function start(count: number): Promise<void> {
    for (const child of children.splice(0)) {
      await child.ask('close');
      await child.end();
    }
    while (children.length < count) {
      const child = startChild<HerdCommands>('./herd-child.ts', [], limitMs, env);
      children.push(child);
      await child.ask('open', { location, key, origin });
    }
  }
  await start(processes);

  return {
    children,
    platform,
    /** Ends the processes, and starts so many others. */
    start,
    /** Runs statements on PostgreSQL. */
    execute: async (statement: string) => (await empty?.execute(statement)) ?? [],

    async install(count: number, tokens: Tokens): Promise<Installed[]> {
      const { isExpired, lifetimeSeconds = 3_600 } = tokens;
      const [first] = children;
      if (!first) throw new Error('There must be a process');
      const installed: Installed[] = [];
      while (installed.length < count) {
        const tenants: Tenant[] = [];
        const size = Math.min(batch, count - installed.length);
        while (tenants.length < size) tenants.push(await platform.ask('open', lifetimeSeconds));
        const ids = await first.ask('install', tenants, isExpired);
        installed.push(...tenants.map((tenant, at) => ({ ...tenant, id: ids[at] ?? '' })));
      }
      return installed;
    },

    /** The counts of requests to each tenant's platform. */
    async count(tenants: Tenant[]): Promise<Counts[]> {
      const counts: Counts[] = [];
      for (const { run } of tenants) counts.push(await platform.ask('count', run));
      return counts;
    },

    async close(): Promise<void> {
      await start(0);
      await platform.end();
      await empty?.destroy();
      await rm(folder, { recursive: true });
    },
  };
}
