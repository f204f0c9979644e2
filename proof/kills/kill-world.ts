/** One back end of a plug-in with its database. Its processes are killed one after the other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createFirstKey, openKeyring, type Store } from '@dowel/installation-store';
import type { TestDatabase, TestDatabaseKind } from '@dowel/installation-store/testing';
import { calmStop } from '@dowel/server/testing';
import type { KillPlatform } from './kill-platform.ts';
import { type KilledProcess, maxStarts, spawnProcess, startProcess } from './kill-process.ts';

export class KillWorld {
  database: TestDatabase;
  readonly killPlatform: KillPlatform;
  readonly manifestUrl: string;
  /** Whether the platform delivers an unanswered event again. */
  redelivers = (_event: string): boolean => true;
  /** Whether the platform treats an unanswered event as accepted. */
  forgives = false;
  /** Whether events do not arrive. */
  losesEvents = false;
  /** Milliseconds by which the clock of the next process is ahead. */
  aheadMs = 0;
  readonly #folder: string;
  #current: KilledProcess | undefined;
  #started = Promise.withResolvers<void>();
  #store: Promise<Store> | undefined;

  constructor(killPlatform: KillPlatform, database: TestDatabase, folder: string) {
    this.killPlatform = killPlatform;
    this.database = database;
    this.#folder = folder;
    this.manifestUrl = killPlatform.addReceiver({
      locate: async (event) => {
        if (this.losesEvents) throw new Error('The event is lost');
        if (!this.#current?.isRunning && !this.redelivers(event))
          throw new Error('No process runs');
        return this.locate();
      },
      redelivers: (event) => this.redelivers(event),
      forgives: () => this.forgives,
    });
  }

  get keyFile() {
    return { path: join(this.#folder, 'encryption.key'), production: false };
  }

  /** The file to which its hooks write each call, one line each. */
  get hookFile(): string {
    return join(this.#folder, 'hooks');
  }

  /** The environment of each process of this back end. */
  get environment(): Record<string, string> {
    const { location } = this.database;
    const { url } = this.killPlatform;
    return {
      DOWEL_TRUST: `${url}=${url}/certificates/`,
      DOWEL_KEY_FILE: this.keyFile.path,
      PROOF_HOOK_FILE: this.hookFile,
      // A busy machine answers late.
      ...calmStop,
      // One user makes the calls of many.
      DOWEL_NOTIFICATIONS_PER_USER: '1000000',
      DOWEL_NOTIFICATIONS_PER_TENANT: '1000000',
      DOWEL_NOTIFICATIONS_PER_PROCESS: '1000000',
      ...('path' in location
        ? { DOWEL_DATA_DIR: dirname(location.path) }
        : { DOWEL_DATABASE_URL: location.url }),
    };
  }

  /** The last output of the latest process. */
  get output(): string {
    return this.#current?.output ?? '';
  }

  /** Starts the process that gets the events from then on. */
  async start(): Promise<void> {
    await this.#current?.end();
    const { environment, aheadMs } = this;
    this.#current = await startProcess({ environment, aheadMs });
    this.#started.resolve();
    this.#started = Promise.withResolvers();
  }

  /** Kills the running process at a step of `act`. */
  async killDuring<Result>(
    points: readonly string[],
    act: () => Promise<Result>,
  ): Promise<{ outcome: Promise<Result> }> {
    const running = this.#current;
    if (!running) throw new Error('No process runs');
    await running.obey({ points });
    const outcome = act();
    const survived = outcome
      .catch(() => {})
      // A process that dies does not answer.
      .then(() => running.obey({ points: [] }))
      .then(
        () => true,
        () => false,
      );
    if (await Promise.race([survived, running.exited.then(() => false)])) {
      throw new Error(`The step ${points.at(-1)} was not reached`);
    }
    const { signal } = await running.exited;
    if (signal !== 'SIGKILL') throw new Error(`The back end ended by itself\n${running.output}`);
    return { outcome };
  }

  /** Lets time pass without a process. */
  async passTime(ms: number): Promise<void> {
    this.aheadMs += ms;
    if ('url' in this.database.location) await this.database.shiftClock(ms);
  }

  /** Resolves when the running process has ended. */
  async exited(): Promise<void> {
    await this.#current?.exited;
  }

  /** The URL of the running process; waits for one. */
  async locate(): Promise<string> {
    while (!this.#current?.isRunning) await this.#started.promise;
    return this.#current.url;
  }

  /** Goes on with another database, which no process has open. */
  async moveTo(database: TestDatabase): Promise<void> {
    await this.#current?.end();
    await this.database.destroy();
    this.database = database;
    this.#store = undefined;
  }

  /** Starts a process that is killed at a point of its start, on another port if its first one is in use. */
  async killAtStart(points: readonly string[]): Promise<void> {
    await this.#current?.end();
    const { environment, aheadMs } = this;
    for (let attempt = 1; ; attempt += 1) {
      const started = spawnProcess({ environment, aheadMs, order: { points } });
      await Promise.race([started.ready().catch(() => {}), started.exited]);
      if (started.isRunning) {
        await started.end();
        throw new Error(`The step ${points.at(-1)} was not reached`);
      }
      if ((await started.exited).signal === 'SIGKILL') return;
      if (attempt === maxStarts || !started.foundPortInUse) {
        throw new Error(`The back end ended by itself\n${started.output}`);
      }
    }
  }

  /** The test's own store on the same database, with the same key. */
  store(): Promise<Store> {
    this.#store ??= this.database.open({ keyring: openKeyring(this.keyFile) });
    return this.#store;
  }

  async close(): Promise<void> {
    await this.#current?.end();
    await this.database.destroy();
    await rm(this.#folder, { recursive: true });
  }
}

export async function createKillWorld(
  killPlatform: KillPlatform,
  kind: TestDatabaseKind,
): Promise<KillWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-kills-'));
  const world = new KillWorld(killPlatform, await kind.create(), folder);
  await createFirstKey({ database: { path: join(folder, 'none') }, keyFile: world.keyFile });
  return world;
}
