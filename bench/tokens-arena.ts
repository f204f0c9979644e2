/** The platform, the contenders' processes, and the runs in which they meet. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildCommands } from './tokens-child.ts';
import type { ContenderEntry } from './tokens-contenders.ts';
import { type Child, startChild } from './tokens-ipc.ts';
import type { Counts, PlatformCommands } from './tokens-platform.ts';
import { type Behaviour, lifetimeSeconds } from './tokens-run.ts';

export type ContenderProcess = Child<ChildCommands>;

export interface RunOptions extends Partial<Behaviour> {
  connections?: number;
  isStubbed?: boolean;
}

export interface Run {
  /** Revokes the access token before it expires. */
  expire(): Promise<void>;
  count(): Promise<Counts>;
}

export type Arena = Awaited<ReturnType<typeof createArena>>;

export const strict: Behaviour = {
  rotates: true,
  outages: 0,
  isDead: false,
  lateMs: null,
  isHanging: false,
};
export const platformLimitMs = 10_000;
/** The token client's default headers, for all contenders. */
const defaultConnections = 32;

export async function createArena() {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-bench-tokens-'));
  const platform = startChild<PlatformCommands>('./tokens-platform.ts', [], platformLimitMs);

  return {
    start: ({ id }: ContenderEntry, limitMs: number): ContenderProcess =>
      startChild<ChildCommands>('./tokens-child.ts', [id], limitMs),

    /** One installation, and the processes that call its platform. */
    async openRun(processes: ContenderProcess[], options: RunOptions = {}): Promise<Run> {
      const { connections = defaultConnections, isStubbed = false, ...behaviour } = options;
      const { run, baseUrl, tokens } = await platform.ask('open', { ...strict, ...behaviour });
      const setting = {
        baseUrl,
        ...tokens,
        expiresAt: Date.now() + lifetimeSeconds * 1000,
        clientId: 'client',
        clientSecret: 'secret',
        folder: join(folder, String(run)),
        connections,
        isStubbed,
      };
      for (const process of processes) await process.ask('open', setting);
      return { expire: () => platform.ask('expire', run), count: () => platform.ask('count', run) };
    },

    async close(): Promise<void> {
      await platform.end();
      await rm(folder, { recursive: true });
    },
  };
}
