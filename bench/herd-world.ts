/** The platform, a database and several processes that share it. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgres } from '@dowel/installation-store/testing';
import { startChild } from './child-process.ts';
import type { HerdCommands, Tenant } from './herd-child.ts';
import type { Counts, PlatformCommands } from './platform-process.ts';

/** A process that takes longer has hung. */
const limitMs = 300_000;

export interface WorldOptions {
  database: 'SQLite' | 'PostgreSQL';
  processes: number;
  /** Additional environment of the processes, such as a slow disk. */
  env: NodeJS.ProcessEnv;
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
  const children = Array.from({ length: processes }, () =>
    startChild<HerdCommands>('./herd-child.ts', [], limitMs, env),
  );
  const { origin } = new URL((await platform.ask('open')).baseUrl);
  for (const child of children) await child.ask('open', { location, key, origin });
  const [first] = children;
  if (!first) throw new Error('There must be a process');

  return {
    children,

    async install(count: number, options: { isExpired: boolean }): Promise<Installed[]> {
      const tenants: Tenant[] = [];
      for (let index = 0; index < count; index += 1) tenants.push(await platform.ask('open'));
      const ids = await first.ask('install', tenants, options.isExpired);
      return tenants.map((tenant, index) => ({ ...tenant, id: ids[index] as string }));
    },

    /** The counts of requests to each tenant's platform. */
    async count(tenants: Tenant[]): Promise<Counts[]> {
      const counts: Counts[] = [];
      for (const { run } of tenants) counts.push(await platform.ask('count', run));
      return counts;
    },

    async close(): Promise<void> {
      for (const child of children) await child.ask('close');
      for (const child of [...children, platform]) await child.end();
      await empty?.destroy();
      await rm(folder, { recursive: true });
    },
  };
}
