/** One plug-in back end with its database: its processes are killed one after the other. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createFirstKey,
  type Grant,
  type Installation,
  openKeyring,
  type Store,
} from '@dowel/installation-store';
import type { TestDatabase, TestDatabaseKind } from '@dowel/installation-store/testing';
import { type BffProcess, type BffSettings, spawnBff, startBff } from './bff-process.ts';
import type { CrashPlatform } from './crash-platform.ts';
import { openSession } from './open-session.ts';

export interface PlacedPlugin {
  pluginId: string;
  instanceId: string;
  /** Opened before anything went wrong. */
  session: string;
}

export class CrashWorld {
  database: TestDatabase;
  readonly manifestUrl: string;
  /** Whether the platform delivers an event again that nobody answered. */
  redelivers = (_event: string): boolean => true;
  /** Whether an event that nobody answers leaves the platform as if it had been taken. */
  forgives = false;
  /** Whether events are lost on their way. */
  losesEvents = false;
  /** How far the clock of processes that are started is ahead. */
  aheadMs = 0;
  readonly #platform: CrashPlatform;
  readonly #folder: string;
  #current: BffProcess | undefined;
  #started = Promise.withResolvers<void>();
  #store: Store | undefined;

  constructor(crashPlatform: CrashPlatform, database: TestDatabase, folder: string) {
    this.#platform = crashPlatform;
    this.database = database;
    this.#folder = folder;
    this.manifestUrl = crashPlatform.addReceiver({
      locate: async (event) => {
        if (this.losesEvents) throw new Error('The event is lost');
        if (!this.#current?.isRunning && !this.redelivers(event))
          throw new Error('Nobody is there');
        return this.locate();
      },
      redelivers: (event) => this.redelivers(event),
      forgives: () => this.forgives,
    });
  }

  get keyFile() {
    return { path: join(this.#folder, 'encryption.key'), production: false };
  }

  /** What a process of this back end is told by its environment. */
  get environment(): Record<string, string> {
    const { location } = this.database;
    const { url } = this.#platform;
    return {
      DOWEL_TRUST: `${url}=${url}/certificates/`,
      DOWEL_KEY_FILE: this.keyFile.path,
      ...('path' in location
        ? { DOWEL_DATA_DIR: dirname(location.path) }
        : { DOWEL_DATABASE_URL: location.url }),
    };
  }

  /** The end of what the latest process wrote. */
  get output(): string {
    return this.#current?.output ?? '';
  }

  /** The process that events go to from now on. */
  async start(settings: Partial<BffSettings> = {}): Promise<BffProcess> {
    await this.#current?.end();
    const { environment, aheadMs } = this;
    const bff = await startBff({ environment, aheadMs, ...settings });
    this.#current = bff;
    this.#started.resolve();
    this.#started = Promise.withResolvers();
    return bff;
  }

  /**
   * Kills the running process at a step of what `act` begins. Undefined: it was over without coming
   * to that step.
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
      // Who dies does not obey any more.
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

  /** Awaited, it has told the process to say when it comes there; that is the inner promise. */
  async whenReached(points: readonly string[]): Promise<{ reached: Promise<void> }> {
    const bff = this.#current;
    if (!bff) throw new Error('No process runs');
    await bff.obey({ points, action: 'tell' });
    return { reached: bff.reached() };
  }

  /** As if nobody had started it again for so long. */
  async passTime(ms: number): Promise<void> {
    this.aheadMs += ms;
    if ('url' in this.database.location) await this.database.shiftClock(ms);
  }

  /** Where a process runs; waits for one. */
  async locate(): Promise<string> {
    while (!this.#current?.isRunning) await this.#started.promise;
    return this.#current.url;
  }

  /** Takes another database, that no process has open. */
  async moveTo(database: TestDatabase): Promise<void> {
    await this.#current?.end();
    await this.database.destroy();
    this.database = database;
    this.#store = undefined;
  }

  /** False: it is ready without coming to these points, and ended. */
  async killAtStart(points: readonly string[]): Promise<boolean> {
    await this.#current?.end();
    const { environment, aheadMs } = this;
    const bff = spawnBff({ environment, aheadMs, order: { points, action: 'kill' } });
    const isReady = await bff.ready().then(
      () => true,
      () => false,
    );
    await bff.end();
    const { signal } = await bff.exited;
    if (signal !== 'SIGKILL') throw new Error(`The BFF ended by itself\n${bff.output}`);
    return !isReady;
  }

  /** Kills a process that is starting. */
  async killYoung(afterMs: number): Promise<void> {
    await this.#current?.end();
    const { environment, aheadMs } = this;
    const bff = spawnBff({ environment, aheadMs });
    await sleep(afterMs);
    await bff.end();
    const { signal } = await bff.exited;
    if (signal !== 'SIGKILL') throw new Error(`The BFF ended by itself\n${bff.output}`);
  }

  async install(pluginId: string = randomUUID()): Promise<string> {
    const { platform, tenantId } = this.#platform;
    await platform.install({ tenantId, manifestUrl: this.manifestUrl, pluginId });
    return pluginId;
  }

  /** Places an installed plug-in, and opens its page. */
  async place(pluginId: string): Promise<PlacedPlugin> {
    const { platform, tenantId } = this.#platform;
    const { installations } = platform.plugins(tenantId);
    const installed = installations.find((each) => each.pluginId === pluginId);
    const entryPointId = installed?.entryPoints[0]?.id ?? '';
    const { instanceId } = await platform.addInstance({ tenantId, pluginId, entryPointId });
    return { pluginId, instanceId, session: await this.#openSession(instanceId) };
  }

  async #openSession(instanceId: string): Promise<string> {
    const { platform } = this.#platform;
    const userId = platform.tenants[0]?.users[0]?.userId ?? '';
    const jti = randomBytes(16).toString('hex');
    const initJwt = await platform.createInitJwt({ userId, instanceId, jti });
    return openSession(() => this.#post('/api/session', { initJwt, instanceId }));
  }

  /** A call of the plug-in's page. Rejects when the process dies. */
  notify({ session }: PlacedPlugin, message = 'Lunch?'): Promise<Response> {
    const recipientId = this.#platform.platform.tenants[0]?.users[1]?.userId;
    return this.#post(
      '/api/notifications',
      { recipientId, message },
      { authorization: `Bearer ${session}` },
    );
  }

  async #post(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${await this.locate()}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  /** A store of the test's own on the same database, by the same key. */
  async store(): Promise<Store> {
    this.#store ??= await this.database.open({ keyring: openKeyring(this.keyFile) });
    return this.#store;
  }

  async find(pluginId: string): Promise<Installation | undefined> {
    const { tenantId, platform } = this.#platform;
    const issuer = platform.tenants[0]?.baseUrl ?? '';
    return (await this.store()).installations.find({ issuer, tenantId, pluginId });
  }

  async loadGrant(pluginId: string): Promise<Grant | undefined> {
    const { id = '' } = (await this.find(pluginId)) ?? {};
    return (await this.store()).grants.load(id);
  }

  /** What SQLite says of its file; empty when all is well, and with PostgreSQL. */
  async findDamage(): Promise<unknown[]> {
    if ('url' in this.database.location) return [];
    const rows = await this.database.execute('pragma integrity_check');
    return rows.filter(({ integrity_check: verdict }) => verdict !== 'ok');
  }

  /** Exchanges that have not been answered, as far as the database knows. */
  async countIntents(): Promise<number> {
    const rows = await this.database.execute('select installation_id from exchange_intents');
    return rows.length;
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
): Promise<CrashWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-crash-'));
  const world = new CrashWorld(crashPlatform, await kind.create(), folder);
  await createFirstKey({ database: { path: join(folder, 'none') }, keyFile: world.keyFile });
  return world;
}
