/** Finds the rules that are true now, from the reports of the dashboard. */
import { type AlertFacts, type AlertRule, hourOf } from '@dowel/admin-api';
import type { AlertFinding, FleetListQuery, FleetRow, Store } from '@dowel/installation-store';
import type { AlertSettings } from './alert-settings.ts';

export interface FindContext {
  store: Pick<Store, 'reports' | 'samples' | 'describeKeys'>;
  settings: AlertSettings;
  now: () => number;
}

const minuteMs = 60_000;
const burstMinutes = 5;
const worstCount = 5;
/** With fewer broken installations, a percentage means little. */
const leastBroken = 5;

const none: Pick<AlertFacts, 'isAtLeast' | 'of' | 'limit'> = {
  isAtLeast: false,
  of: null,
  limit: null,
};

type Find = (context: FindContext) => Promise<AlertFinding[] | undefined>;

const rules: Record<AlertRule, Find> = {
  broken_for: findBrokenFor,
  broken_share: findBrokenShare,
  refused_burst: findRefusedBurst,
  hook_parked: findParkedHooks,
  key_unreadable: findUnreadableKeys,
};

/** Undefined: not known yet. */
export function findAlerts(
  context: FindContext,
  rule: AlertRule,
): Promise<AlertFinding[] | undefined> {
  return rules[rule](context);
}

async function findBrokenFor({ store, settings, now }: FindContext): Promise<AlertFinding[]> {
  const query: FleetListQuery = {
    limit: worstCount,
    group: 'broken',
    minAgeMs: settings.brokenForMs,
    sort: 'broken',
    now: now(),
  };
  const { rows } = await store.reports.listFleet(query);
  const [longest] = rows;
  if (!longest) return [];
  const total = await store.reports.countMatches(query);
  const facts: AlertFacts = {
    count: Math.max(total?.count ?? 0, rows.length),
    isAtLeast: total?.isExact !== true,
    of: null,
    limit: settings.brokenForMs / minuteMs,
    worst: rows.map(describeRow),
  };
  return [{ rule: 'broken_for', subject: '', since: longest.accessEndsAt, facts }];
}

function describeRow({ id, name, host, cause, accessEndsAt: since }: FleetRow) {
  return { installationId: id, name: name || host, detail: cause ?? '', count: null, since };
}

async function findBrokenShare({ store, settings, now }: FindContext): Promise<AlertFinding[]> {
  const { groups, causes } = await store.reports.countFleet(now());
  const of = groups.working + groups.risk + groups.broken;
  const isMany = groups.broken >= leastBroken && groups.broken * 100 > of * settings.brokenPercent;
  if (!isMany) return [];
  const worst = causes.slice(0, worstCount).map(({ cause, count }) => ({
    installationId: null,
    name: cause,
    detail: '',
    count,
    since: null,
  }));
  const facts = { ...none, count: groups.broken, of, limit: settings.brokenPercent, worst };
  return [{ rule: 'broken_share', subject: '', since: null, facts }];
}

async function findRefusedBurst({ store, settings, now }: FindContext): Promise<AlertFinding[]> {
  const until = now() - (now() % minuteMs);
  const from = until - burstMinutes * minuteMs;
  const { rates } = await store.samples.readSeries({
    from,
    until,
    stepMs: minuteMs,
    ratesUntil: until,
  });
  const refused = rates.refused.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const count = Math.round(refused / burstMinutes);
  if (count <= settings.refusedPerMinute) return [];
  const since = hourOf(from);
  const reasons = await store.reports.reportRefusals(since);
  const worst = reasons.slice(0, worstCount).map(({ reason, count: ofReason }) => ({
    installationId: null,
    name: reason,
    detail: '',
    count: ofReason,
    since,
  }));
  const facts = { ...none, count, limit: settings.refusedPerMinute, worst };
  return [{ rule: 'refused_burst', subject: '', since: null, facts }];
}

async function findParkedHooks({ store, now }: FindContext): Promise<AlertFinding[]> {
  const { parkedHooks: count } = await store.reports.countFleet(now());
  if (count === 0) return [];
  const { deliveries } = await store.reports.listParkedHooks({ limit: worstCount });
  // The error of a hook is the plug-in's own text, so it stays in the dashboard.
  const worst = deliveries.map(({ installation: { id, name, host }, hook, parkedAt }) => ({
    installationId: id,
    name: name || host,
    detail: hook,
    count: null,
    since: parkedAt,
  }));
  return [{ rule: 'hook_parked', subject: '', since: null, facts: { ...none, count, worst } }];
}

/** One finding for each key, so a second key opens its own alert. */
async function findUnreadableKeys({ store }: FindContext): Promise<AlertFinding[] | undefined> {
  const { keys, countedAt } = await store.describeKeys();
  if (countedAt === null) return undefined;
  return keys
    .filter(({ state }) => state === 'missing')
    .map(({ id, values }) => {
      const worst = [
        { installationId: null, name: id, detail: 'missing', count: null, since: null },
      ];
      const facts = { ...none, count: values ?? 1, worst };
      return { rule: 'key_unreadable', subject: id, since: null, facts };
    });
}
