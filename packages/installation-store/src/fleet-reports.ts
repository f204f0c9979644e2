/** The port of the dashboard's pages about all installations. Contains no secrets. */
import type {
  Condition,
  FleetDetail,
  FleetInstallation,
  FleetQuery,
  FleetSort,
  InstallationState,
  ParkedHooks,
  ParkedHooksQuery,
  Refusals,
  StateGroup,
  Timeline,
  TimelineKind,
  Total,
} from '@dowel/admin-api';

/** A row of the list, without the members that depend on the time. */
export type FleetRow = Omit<FleetInstallation, 'state'>;

export interface ConditionCount {
  condition: Condition;
  cause: string | null;
  n: number;
}

export type FleetListQuery = Omit<FleetQuery, 'sort'> & {
  sort: FleetSort;
  /** For the states that change with the time; epoch milliseconds. */
  now: number;
};

interface FleetPage {
  rows: FleetRow[];
  next: string | null;
  /** The page is not full, because it looked at too many rows that do not match. */
  isSearching: boolean;
}

export interface FleetCounts {
  groups: Record<StateGroup, number>;
  states: Record<InstallationState, number>;
  causes: { cause: string; count: number }[];
  brokenWithinHour: number;
  brokenOverDay: number;
  parkedHooks: number;
}

export type FleetFacts = Pick<
  FleetDetail,
  'token' | 'outages' | 'instanceIds' | 'srcForm' | 'drift' | 'notes' | 'pause'
> & {
  installation: FleetRow;
  /** The back end's name of the plug-in; '' for the only one. */
  plugin: string;
  scopes: Omit<FleetDetail['scopes'], 'requested'>;
  /** When it was uninstalled; null while it lives. */
  endedAt: number | null;
  /** An operator keeps the record until then; null: no longer than others. */
  keptUntil: number | null;
};

export interface TimelinePage {
  limit: number;
  after?: string | undefined;
  kinds: readonly TimelineKind[];
}

export type RefusalReport = Pick<Refusals, 'reasons' | 'last'>;

export interface FleetReports {
  /** @throws StoreError `CURSOR_INVALID`. */
  listFleet(query: FleetListQuery): Promise<FleetPage>;
  /** How many match. Null: only reading every row could tell. */
  countMatches(query: FleetListQuery): Promise<Total | null>;
  /** In the order of the ids, without those that do not exist. */
  readRows(ids: readonly string[]): Promise<FleetRow[]>;
  /** Exact. */
  countConditions(): Promise<ConditionCount[]>;
  /** Exact, at `now`. */
  countFleet(now: number): Promise<FleetCounts>;
  /** The parked hook deliveries, the latest parked first. @throws StoreError `CURSOR_INVALID`. */
  listParkedHooks(query: ParkedHooksQuery): Promise<Omit<ParkedHooks, 'now'>>;
  /** What was refused within the span, which has whole bars. */
  /** @param from the beginning of an hour: the counts begin with it. */
  reportRefusals(from: number): Promise<RefusalReport>;
  /** The plug-in ids of all installations, at most 50. */
  listPluginIds(): Promise<string[]>;
  describe(id: string): Promise<FleetFacts | undefined>;
  /** Newest first. @throws StoreError `CURSOR_INVALID`. */
  listTimeline(id: string, page: TimelinePage): Promise<Omit<Timeline, 'now'>>;
}
