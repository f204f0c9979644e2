/** A database with installations and processes that evaluate the rules, for tests of alerts. */
import { randomUUID } from 'node:crypto';
import type { Grant, Store } from '@dowel/installation-store';
import type { TestDatabase, TestDatabaseKind } from '@dowel/installation-store/testing';
import { Secret } from '@dowel/schema';
import { createDatabaseState } from '../../base/database-state.ts';
import { type AlertSettings, defaultAlertSettings } from '../alert-settings.ts';
import { type AlertsContext, createAlertsContext } from '../alerts-context.ts';
import { checkAlerts } from '../check-alerts.ts';
import { deliverAlerts } from '../deliver-alerts.ts';

export interface AlertWorld extends AsyncDisposable {
  database: TestDatabase;
  store: Store;
  /** Every line that was logged. */
  logs: { line: object; message: string }[];
  /** A process with a store of its own. */
  startProcess(settings?: Partial<AlertSettings>): Promise<AlertsContext>;
  /** Moves the clocks of database and processes. */
  wait(ms: number): Promise<void>;
  /** An installation with tokens. */
  install(name?: string): Promise<string>;
  /** An installation without tokens. */
  begin(): Promise<string>;
  /** Stores tokens that end in this time, and lets their refresh fail. */
  failRefresh(id: string, endsInMs: number): Promise<void>;
  /** Ends the access of an installation. */
  break(id: string, reason?: string): Promise<void>;
  /** Restores the access of an installation. */
  repair(id: string): Promise<void>;
}

const tokenMs = 100 * 24 * 3_600_000;
/** The pause between two evaluations. */
const evaluationMs = 30_000;

/** Creates a database of this kind, without processes. */
export async function startAlertWorld(kind: TestDatabaseKind): Promise<AlertWorld> {
  const database = await kind.create();
  const store = await database.open();
  const logs: AlertWorld['logs'] = [];
  const processes: AlertsContext[] = [];
  let aheadMs = 0;
  let iat = 1;
  const write = writeInto(logs);
  return {
    database,
    store,
    logs,
    async startProcess(settings = {}) {
      const context = createAlertsContext({
        settings: { ...defaultAlertSettings, ...settings },
        store: processes.length === 0 ? store : await database.open(),
        publicUrl: 'https://plugin.example.com/polls',
        pluginName: 'Lunch menu',
        internalOrigins: [],
        database: createDatabaseState(),
        logger: { info: write, warn: write, error: write },
        now: () => Date.now() + aheadMs,
        random: () => 0.5,
      });
      processes.push(context);
      return context;
    },
    async wait(ms) {
      aheadMs += ms;
      await database.shiftClock(ms);
    },
    async install(name) {
      const id = await begin(store, { iat, at: Date.now() + aheadMs });
      await giveTokens(store, id, { iat });
      iat += 1;
      if (name !== undefined) await store.operators.describe(id, { name });
      return id;
    },
    begin: () => begin(store, { iat, at: Date.now() + aheadMs }),
    async failRefresh(id, endsInMs) {
      iat += 1;
      await giveTokens(store, id, { iat, endsInMs: aheadMs + endsInMs });
      await failRefresh(store, id);
    },
    async break(id, reason = 'invalid_grant') {
      await store.grants.markAwaitingEvent(await load(store, id), reason, Date.now() + aheadMs);
    },
    async repair(id) {
      iat += 1;
      await giveTokens(store, id, { iat });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(processes.flatMap(({ sending }) => [...sending.values()]));
      await database.destroy();
    },
  };
}

function writeInto(logs: AlertWorld['logs']) {
  return (line: object | string, message = '') => {
    logs.push({ line: typeof line === 'string' ? {} : line, message });
  };
}

async function begin(store: Store, { iat, at }: { iat: number; at: number }): Promise<string> {
  const issuer = `https://tenant-${iat}.example.com`;
  const key = { issuer, tenantId: randomUUID(), pluginId: randomUUID() };
  const { id } = await store.transaction(({ installations }) => installations.begin(key, iat, at));
  return id;
}

async function giveTokens(
  store: Store,
  installationId: string,
  { iat, endsInMs = tokenMs }: { iat: number; endsInMs?: number },
): Promise<void> {
  const installation = await store.installations.get(installationId);
  if (!installation) throw new Error('There is no such installation');
  await store.transaction(({ grants }) =>
    grants.replace(
      installation,
      {
        baseUrl: installation.issuer,
        clientId: 'client',
        clientSecret: new Secret('client-secret'),
        tokenEndpointUrl: 'api/oauth/token',
        trigger: null,
      },
      {
        accessToken: new Secret('access'),
        refreshToken: new Secret('refresh'),
        grantedScopes: [],
        issuedAt: Date.now(),
        expiresAt: Date.now() + endsInMs,
      },
      { iat, newestIat: iat },
    ),
  );
}

async function load(store: Store, id: string): Promise<Grant> {
  const grant = await store.grants.load(id);
  if (!grant) throw new Error('It has no tokens');
  return grant;
}

async function failRefresh(store: Store, id: string): Promise<void> {
  const grant = await load(store, id);
  const limits = { maxPresentations: 3, burst: 3, intervalMs: 10_000 };
  const acquired = await store.renewals.acquire(grant, {
    owner: 'one',
    leaseMs: 15_000,
    ...limits,
  });
  if (acquired.outcome !== 'acquired') throw new Error(acquired.outcome);
  const failed = { mayBeSpent: false, mayArrive: false, retryInMs: 0, reason: 'server_error' };
  await store.renewals.release(acquired.lease, failed);
}

/** Evaluates the rules until alerts open or recover, and sends the messages. */
export async function evaluateAndSend(
  world: AlertWorld,
  processes: readonly AlertsContext[],
  times = 2,
): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await world.wait(evaluationMs);
    await Promise.all(processes.map(checkAlerts));
    await Promise.all(processes.map(deliverAlerts));
  }
}

/** Opens an alert of an installation without access, with one message that waits. Returns the installation's id. */
export async function openAlert(world: AlertWorld, process: AlertsContext): Promise<string> {
  const id = await world.install('Acme');
  await world.break(id);
  await world.wait(15 * 60_000);
  for (const _ of [1, 2]) {
    await world.wait(evaluationMs);
    await checkAlerts(process);
  }
  return id;
}
