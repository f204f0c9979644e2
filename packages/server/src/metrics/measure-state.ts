/** The metrics that are read at each scrape. None of them asks the database. */
import { statSync } from 'node:fs';
import type { StateGroup } from '@dowel/admin-api';
import type { EngineLocation, Store } from '@dowel/installation-store';
import type { TokenClient } from '@dowel/token-client';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { DatabaseState } from '../base/database-state.ts';

/** What one process of all reads once a minute. */
interface FleetSample {
  groups: Record<StateGroup, number>;
  /** Since when the longest broken installation has no access, in epoch milliseconds. Null: none is broken. */
  brokenSince: number | null;
  /** When it was read, by `performance.now()`. */
  readAt: number;
}

export interface MeasuredState {
  fleet: FleetSample | undefined;
  /** Undefined while the server opens. */
  sources: Sources | undefined;
}

interface Sources {
  location: EngineLocation;
  database: Pick<DatabaseState, 'isAvailable'>;
  store: Pick<Store, 'figures'>;
  tokenClient: Pick<TokenClient, 'figures'>;
  now: () => number;
}

/** Longer than a minute: then another process has read the next sample. */
const fleetMs = 90_000;

export function measureState(registry: Registry, state: MeasuredState): void {
  const gauge = (name: string, help: string, read: (sources: Sources) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(state.sources ? read(state.sources) : 0);
      },
    });
  gauge('dowel_database_available', '1: the database stores what it is asked to.', (sources) =>
    Number(sources.database.isAvailable),
  );
  gauge(
    'dowel_tokens_unsaved',
    'Token sets that are only in memory.',
    ({ tokenClient }) => tokenClient.figures().unsavedTokens,
  );
  gauge(
    'dowel_calls_waiting',
    'Calls that wait for tokens or a place.',
    ({ tokenClient }) => tokenClient.figures().waitingCalls,
  );
  gauge('dowel_listener_up', '1: changes of other processes are heard.', ({ store }) =>
    Number(store.figures().silentMs === 0),
  );
  gauge(
    'dowel_listener_lag_seconds',
    'How long they have not been heard.',
    ({ store }) => store.figures().silentMs / 1_000,
  );
  gauge('dowel_wal_bytes', "Size of the SQLite file's log; 0 with PostgreSQL.", ({ location }) =>
    'path' in location
      ? (statSync(`${location.path}-wal`, { throwIfNoEntry: false })?.size ?? 0)
      : 0,
  );
  gauge(
    'dowel_broken_oldest_seconds',
    'How long the longest broken installation has had no access. See dowel_installations.',
    ({ now }) => {
      const { brokenSince = null } = freshFleet(state) ?? {};
      return brokenSince === null ? 0 : Math.max(0, (now() - brokenSince) / 1_000);
    },
  );
  measureCounts(registry, state);
  measureConnections(registry, state);
  measureInstallations(registry, state);
}

function measureCounts(registry: Registry, state: MeasuredState): void {
  const counter = (name: string, help: string, read: (sources: Sources) => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        if (state.sources) this.inc(read(state.sources));
      },
    });
  counter(
    'dowel_refresh_presented_again_total',
    'Refresh tokens that were presented again, because an earlier presentation had no answer.',
    ({ tokenClient }) => tokenClient.figures().presentedAgain,
  );
  counter(
    'dowel_changes_missed_total',
    'Times at which changes may have been missed, so that all tokens were read again.',
    ({ store }) => store.figures().gaps,
  );
}

function measureConnections(registry: Registry, state: MeasuredState): void {
  new Gauge({
    name: 'dowel_database_connections',
    help: 'Connections to PostgreSQL, and callers that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const connections = state.sources?.store.figures().connections;
      for (const [name, count] of Object.entries(connections ?? {})) {
        this.set({ state: name }, count);
      }
    },
  });
}

function measureInstallations(registry: Registry, state: MeasuredState): void {
  new Gauge({
    name: 'dowel_installations',
    help: 'Installations of the whole database. One process says it for a minute, so take the maximum.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.reset();
      const fleet = freshFleet(state);
      for (const [name, count] of Object.entries(fleet?.groups ?? {}))
        this.set({ state: name }, count);
    },
  });
}

/** Reads the sample. To be called in one process of all, once a minute. */
export async function measureFleet(
  state: MeasuredState,
  { store: { reports }, now }: { store: Pick<Store, 'reports'>; now: () => number },
): Promise<void> {
  const { groups } = await reports.countFleet(now());
  const longest = { limit: 1, group: 'broken', sort: 'broken', now: now() } as const;
  const { rows } = await reports.listFleet(longest);
  const brokenSince = rows[0]?.accessEndsAt ?? null;
  state.fleet = { groups, brokenSince, readAt: performance.now() };
}

function freshFleet({ fleet }: MeasuredState): FleetSample | undefined {
  return fleet && performance.now() - fleet.readAt < fleetMs ? fleet : undefined;
}
