/** One back end of a plug-in with its database. Its processes are killed one after the other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFirstKey, openKeyring, type Store } from '@dowel/installation-store';
import type { TestDatabase, TestDatabaseKind } from '@dowel/installation-store/testing';
import { calmStop } from '@dowel/server/testing';
import { type BffProcess, type BffSettings, maxStarts, spawnBff, startBff } from './bff-process.ts';
import type { CrashPlatform } from './crash-platform.ts';

export class CrashWorld {
  database: TestDatabase;
  readonly crashPlatform: CrashPlatform;
  readonly manifestUrl: string;
  /** Whether the platform delivers an unanswered event again. */
  redelivers = (_event: string): boolean => true;
  /** Whether the platform treats an unanswered event as accepted. */
  forgives = false;
  /** Whether events do not arrive. */
  losesEvents = false;
  /** Further settings of the next processes. */
  settings: Record<string, string> = {};
  /** Milliseconds by which the clock of the next process is ahead. */
  aheadMs = 0;
  readonly #main: string | undefined;
  readonly #folder: string;
  #current: BffProcess | undefined;
  #started = Promise.withResolvers<void>();
  #store: Promise<Store> | undefined;

  constructor(
    crashPlatform: CrashPlatform,
    database: TestDatabase,
    { folder, main }: { folder: string; main?: string | undefined },
  ) {
    this.#main = main;
    this.crashPlatform = crashPlatform;
    this.database = database;
    this.#folder = folder;
    this.manifestUrl = crashPlatform.addReceiver({
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
    const { url } = this.crashPlatform;
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
      ...this.settings,
    };
  }

  /** The last output of the latest process. */
  get output(): string {
    return this.#current?.output ?? '';
  }

  /** Starts the process that gets the events from then on. */
  async start(settings: Partial<BffSettings> = {}): Promise<BffProcess> {
    await this.#current?.end();
    const { environment, aheadMs } = this;
    const program = this.#main === undefined ? {} : { main: this.#main };
    const bff = await startBff({ environment, aheadMs, ...program, ...settings });
    this.#current = bff;
    this.#started.resolve();
    this.#started = Promise.withResolvers();
    return bff;
  }

  /**
   * Kills the running process at a step of `act`. Undefined: `act` ended without that step.
   */
  async killDuring<Result>(
    points: readonly string[],
    act: () => Promise<Result>,
  ): Promise<{ killedAt: number; outcome: Promise<Result> } | undefined> {
    const bff = this.#current;
    if (!bff) throw new Error('No process runs');
    await bff.obey({ points, action: 'kill' });
    const outcome = act();
    const survived = outcome
      .catch(() => {})
      // A process that dies does not answer.
      .then(() => bff.obey({ points: [], action: 'tell' }))
      .then(
        () => true,
        () => false,
      );
    if (await Promise.race([survived, bff.exited.then(() => false)])) return undefined;
    const killedAt = performance.now();
    const { signal } = await bff.exited;
    if (signal !== 'SIGKILL') throw new Error(`The BFF ended by itself\n${bff.output}`);
    return { killedAt, outcome };
  }

  /** Resolves when the process knows the order; the inner promise, when the process is there. */
  async whenReached(points: readonly string[]): Promise<{ reached: Promise<void> }> {
    const bff = this.#current;
    if (!bff) throw new Error('No process runs');
    await bff.obey({ points, action: 'tell' });
    return { reached: bff.reached() };
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

  /** False: the process was ready without these points. It is ended in any case. */
  async killAtStart(points: readonly string[]): Promise<boolean> {
    return this.#killStarted({ order: { points, action: 'kill' } }, (bff) =>
      bff.ready().then(
        () => false,
        () => true,
      ),
    );
  }

  /** Starts a process that is killed at a step of what it does by itself. */
  async startAndKill(points: readonly string[]): Promise<void> {
    await this.#killStarted({ order: { points, action: 'kill' } }, (bff) => bff.exited);
  }

  /** Kills a process while it starts. */
  async killYoung(afterMs: number): Promise<void> {
    await this.#killStarted({}, () => sleep(afterMs));
  }

  /** Starts a process, on another port if its first one is in use, and kills it when `wait` resolves. */
  async #killStarted<Result>(
    settings: Partial<BffSettings>,
    wait: (bff: BffProcess) => Promise<Result>,
  ): Promise<Result> {
    await this.#current?.end();
    const { environment, aheadMs } = this;
    for (let attempt = 1; ; attempt += 1) {
      const program = this.#main === undefined ? {} : { main: this.#main };
      const bff = spawnBff({ environment, aheadMs, ...program, ...settings });
      const result = await wait(bff);
      await bff.end();
      const { signal } = await bff.exited;
      if (signal === 'SIGKILL') return result;
      if (attempt === maxStarts || !bff.foundPortInUse) {
        throw new Error(`The BFF ended by itself\n${bff.output}`);
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

export async function createCrashWorld(
  crashPlatform: CrashPlatform,
  kind: TestDatabaseKind,
  main?: string,
): Promise<CrashWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-crash-'));
  const world = new CrashWorld(crashPlatform, await kind.create(), { folder, main });
  await createFirstKey({ database: { path: join(folder, 'none') }, keyFile: world.keyFile });
  return world;
}
