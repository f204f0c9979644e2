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
import { type Kysely, type SqlBool, sql } from 'kysely';
import { type ConditionCount, readCounts } from '../sql/condition-counts.ts';
import type { Tables } from '../sql/tables.ts';
import { filterConditions, isInCondition } from './fleet-filter.ts';
import { countAll } from './fleet-page.ts';
import { countParkedHooks } from './parked-hooks-page.ts';

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
  const counts = await readCounts(db);
  const states = await countStates(db, counts, now);
  const zeros = Object.fromEntries(stateGroupSchema.options.map((group) => [group, 0]));
  const groups = zeros as FleetCounts['groups'];
  for (const state of installationStateSchema.options) groups[groupOf(state)] += states[state];
  return {
    groups,
    states,
    causes: await countCauses(db, { counts, states, now }),
    brokenWithinHour: await countAll(db, filterConditions({ now, maxAgeMs: hourMs })),
    brokenOverDay: await countAll(db, filterConditions({ now, minAgeMs: dayMs })),
    parkedHooks: await countParkedHooks(db),
  };
}

/** A condition with two states is divided by a count of the later one. */
async function countStates(db: Kysely<Tables>, counts: readonly ConditionCount[], now: number) {
  const states = {} as Record<InstallationState, number>;
  for (const state of installationStateSchema.options) {
    const { condition, clock } = stateRules[state];
    const all = counts
      .filter((each) => each.condition === condition)
      .reduce((sum, { n }) => sum + n, 0);
    if (!clock || all === 0) {
      states[state] = all;
      continue;
    }
    const past = await countAll(db, [
      isInCondition({ condition, clock: { ...clock, isPast: true } }, now),
    ]);
    states[state] = clock.isPast ? past : all - past;
  }
  return states;
}

interface Counted {
  counts: readonly ConditionCount[];
  states: FleetCounts['states'];
  now: number;
}

/** As the filter by cause finds them: also the broken ones that have none. */
async function countCauses(
  db: Kysely<Tables>,
  { counts, states, now }: Counted,
): Promise<FleetCounts['causes']> {
  const byCause = new Map<string, number>();
  const add = (cause: string, n: number) => {
    if (n > 0) byCause.set(cause, (byCause.get(cause) ?? 0) + n);
  };
  for (const { cause, n } of counts) if (cause !== null) add(cause, n);
  for (const state of installationStateSchema.options) {
    const name = causeNameOf(null, state);
    if (name === null || states[state] === 0) continue;
    const { condition } = stateRules[state];
    const ofCondition = counts.filter((each) => each.condition === condition);
    if (ofCondition.every(({ cause }) => cause !== null)) continue;
    const isMixed = ofCondition.some(({ cause }) => cause !== null);
    add(name, isMixed ? await countWithout(db, state, now) : states[state]);
  }
  return [...byCause]
    .map(([cause, count]) => ({ cause, count }))
    .toSorted((one, other) => other.count - one.count || (one.cause < other.cause ? -1 : 1));
}

/** Those of a state that have no cause. */
function countWithout(db: Kysely<Tables>, state: InstallationState, now: number): Promise<number> {
  return countAll(db, [sql<SqlBool>`cause is null`, isInCondition(stateRules[state], now)]);
}
