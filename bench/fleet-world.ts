/** The platform, a database and the processes of one case of the fleet's benchmark. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgres } from '@dowel/installation-store/testing';
import type { FleetCommands, Tenant } from './fleet-child.ts';
import { platformLimitMs, strict } from './tokens-arena.ts';
import { startChild } from './tokens-ipc.ts';
import type { Counts, PlatformCommands } from './tokens-platform.ts';
import type { Behaviour } from './tokens-run.ts';

/** A process that takes longer has hung. */
const childLimitMs = 300_000;

export interface FleetOptions {
  /** Default: SQLite in a new folder. */
  postgresUrl?: string | undefined;
  processes?: number;
  /** Default: the time limits of the product. */
  isPatient?: boolean;
  /** Additional environment of the processes, such as a slow disk. */
  env?: NodeJS.ProcessEnv;
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

export async function startFleet({
  postgresUrl,
  processes = 1,
  isPatient = false,
  env = {},
}: FleetOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-bench-fleet-'));
  const location = postgresUrl ? { url: postgresUrl } : { path: join(folder, 'dowel.sqlite') };
  const key = randomBytes(32).toString('hex');
  const platform = startChild<PlatformCommands>('./tokens-platform.ts', [], platformLimitMs);
  const children = Array.from({ length: processes }, () =>
    startChild<FleetCommands>('./fleet-child.ts', [], childLimitMs, env),
  );
  const { origin } = new URL((await platform.ask('open', strict)).baseUrl);
  for (const child of children) await child.ask('open', { location, key, origin, isPatient });
  const [first] = children;
  if (!first) throw new Error('A fleet has at least one process');

  return {
    location,
    children,
    first,

    /** @param behaviour the differences from a strict platform */
    async install(
      count: number,
      options: { isExpired: boolean; behaviour?: Partial<Behaviour> },
    ): Promise<Tenant[]> {
      const tenants: Tenant[] = [];
      for (let index = 0; index < count; index += 1) {
        const opened = await platform.ask('open', { ...strict, ...options.behaviour });
        tenants.push(opened);
      }
      const ids = await first.ask('install', tenants, options.isExpired);
      return tenants.map((tenant, index) => ({ ...tenant, id: ids[index] as string }));
    },

    /** Ends the tenants' tokens at their platform: those of dead ones for good. */
    async revoke(tenants: Tenant[]): Promise<void> {
      for (const { run } of tenants) await platform.ask('expire', run);
    },

    /** The counts of requests to each tenant's platform. */
    count: (tenants: Tenant[]): Promise<Counts[]> =>
      inTurn(tenants, ({ run }) => platform.ask('count', run)),

    async close(): Promise<void> {
      for (const child of children) await child.ask('close');
      for (const child of [...children, platform]) await child.end();
      await rm(folder, { recursive: true });
    },
  };
}

async function inTurn<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** A new database on the server of `DOWEL_TEST_POSTGRES_URL`. */
export async function createPostgresDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const database = await postgres.createEmpty();
  if (!('url' in database.location)) throw new Error('There is no PostgreSQL');
  return { url: database.location.url, drop: () => database.destroy() };
}
