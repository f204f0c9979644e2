/** Exact counts of all installations, by state and by cause. */
import {
  causeNameOf,
  groupOf,
  type InstallationState,
  installationStateSchema,
  type StateGroup,
  stateGroupSchema,
  stateRules,
} from '@dowel/admin-api';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ConditionCount } from '../sql/condition-counts.ts';
import type { Tables } from '../sql/tables.ts';
import { filterConditions, isInCondition } from './fleet-filter.ts';
import { isParked } from './parked-hooks-page.ts';

export interface FleetCounts {
  groups: Record<StateGroup, number>;
  states: Record<InstallationState, number>;
  causes: { cause: string; count: number }[];
  brokenWithinHour: number;
  brokenOverDay: number;
  parkedHooks: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export async function countFleet(db: Kysely<Tables>, now: number): Promise<FleetCounts> {
  const { counts, countOf } = await readMoment(db, now);
  const states = countStates(counts, countOf);
  const zeros = Object.fromEntries(stateGroupSchema.options.map((group) => [group, 0]));
  const groups = zeros as FleetCounts['groups'];
  for (const state of installationStateSchema.options) groups[groupOf(state)] += states[state];
  return {
    groups,
    states,
    causes: countCauses({ counts, states, countOf }),
    brokenWithinHour: countOf('withinHour'),
    brokenOverDay: countOf('overDay'),
    parkedHooks: countOf('parkedHooks'),
  };
}

interface Moment {
  counts: readonly ConditionCount[];
  /** `past <condition>`, `without cause <state>`, or one of the others in `listCounts`. */
  countOf: (name: string) => number;
}

/** Everything by one statement: counts of different moments do not add up. */
async function readMoment(db: Kysely<Tables>, now: number): Promise<Moment> {
  const ofConditions = sql`select '' as name, condition, cause, cast(sum(n) as integer) as n
    from condition_counts group by condition, cause having sum(n) <> 0`;
  const others = listCounts(now).map(
    ({ name, from, where }) => sql`select ${sql.lit(name)}, null, null, cast(count(*) as integer)
      from ${sql.table(from)} where ${sql.join(where, sql` and `)}`,
  );
  const all = sql.join([ofConditions, ...others], sql` union all `);
  const { rows } = await sql<ConditionCount & { name: string }>`${all}`.execute(db);
  const byName = new Map(rows.map(({ name, n }) => [name, n]));
  return {
    counts: rows.filter(({ name }) => name === ''),
    countOf: (name) => byName.get(name) ?? 0,
  };
}

interface Count {
  name: string;
  from: 'installations' | 'hook_deliveries';
  where: RawBuilder<SqlBool>[];
}

/** What the counts of the conditions do not say. */
function listCounts(now: number): Count[] {
  const from = 'installations';
  const counts: Count[] = [
    { name: 'withinHour', from, where: filterConditions({ now, maxAgeMs: hourMs }) },
    { name: 'overDay', from, where: filterConditions({ now, minAgeMs: dayMs }) },
    { name: 'parkedHooks', from: 'hook_deliveries', where: [isParked] },
  ];
  for (const state of installationStateSchema.options) {
    const rule = stateRules[state];
    if (!rule.clock) continue;
    const isState = isInCondition(rule, now);
    if (rule.clock.isPast) counts.push({ name: `past ${rule.condition}`, from, where: [isState] });
    if (causeNameOf(null, state) !== null) {
      const where = [isState, sql<SqlBool>`cause is null`];
      counts.push({ name: `without cause ${state}`, from, where });
    }
  }
  return counts;
}

/** A condition with two states is divided by the count of the later one. */
function countStates(counts: Moment['counts'], countOf: Moment['countOf']): FleetCounts['states'] {
  const states = {} as FleetCounts['states'];
  for (const state of installationStateSchema.options) {
    const { condition, clock } = stateRules[state];
    const all = counts
      .filter((each) => each.condition === condition)
      .reduce((sum, { n }) => sum + n, 0);
    const past = countOf(`past ${condition}`);
    if (clock) states[state] = clock.isPast ? past : all - past;
    else states[state] = all;
  }
  return states;
}

/** As the filter by cause finds them: also the broken ones that have none. */
function countCauses({
  counts,
  states,
  countOf,
}: Moment & Pick<FleetCounts, 'states'>): FleetCounts['causes'] {
  const byCause = new Map<string, number>();
  const add = (cause: string, n: number) => {
    if (n > 0) byCause.set(cause, (byCause.get(cause) ?? 0) + n);
  };
  for (const { cause, n } of counts) if (cause !== null) add(cause, n);
  for (const state of installationStateSchema.options) {
    const name = causeNameOf(null, state);
    if (name === null || states[state] === 0) continue;
    const { condition, clock } = stateRules[state];
    const causeless = counts.find((each) => each.condition === condition && each.cause === null);
    add(name, clock ? countOf(`without cause ${state}`) : (causeless?.n ?? 0));
  }
  return [...byCause]
    .map(([cause, count]) => ({ cause, count }))
    .toSorted((one, other) => other.count - one.count || (one.cause < other.cause ? -1 : 1));
}
