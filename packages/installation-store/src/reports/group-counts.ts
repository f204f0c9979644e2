/**
 * Exact counts by group of states, from the kept counters. Only a condition whose two states belong to different
 * groups is divided by a count of its rows: of those that fail, and of those that wait for their first tokens.
 */
import {
  type Condition,
  groupOf,
  type InstallationState,
  installationStateSchema,
  type StateGroup,
  stateGroupSchema,
  stateRules,
} from '@dowel/admin-api';
import type { Kysely } from 'kysely';
import type { ConditionCount } from '../sql/condition-counts.ts';
import type { Tables } from '../sql/tables.ts';
import { isInCondition } from './fleet-filter.ts';
import { countAll } from './fleet-page.ts';

export async function countGroups(
  db: Kysely<Tables>,
  counts: readonly ConditionCount[],
  now: number,
): Promise<Record<StateGroup, number>> {
  const zeros = Object.fromEntries(stateGroupSchema.options.map((group) => [group, 0]));
  const groups = zeros as Record<StateGroup, number>;
  for (const [condition, n] of sumByCondition(counts)) {
    const { later, earlier } = statesOf(condition);
    const past = later === undefined ? 0 : await countPast(db, later, now);
    if (later !== undefined) groups[groupOf(later)] += past;
    groups[groupOf(earlier)] += n - past;
  }
  return groups;
}

/** How many are broken by each cause: a reason of docs/errors.md, or a state that begins with the time. */
export async function countBroken(
  db: Kysely<Tables>,
  counts: readonly ConditionCount[],
  now: number,
): Promise<Map<string, number>> {
  const byCause = new Map<string, number>();
  for (const { condition, cause, n } of counts) {
    const { earlier } = statesOf(condition);
    if (groupOf(earlier) !== 'broken') continue;
    const name = cause ?? 'other';
    byCause.set(name, (byCause.get(name) ?? 0) + n);
  }
  for (const condition of sumByCondition(counts).keys()) {
    const { later } = statesOf(condition);
    if (later === undefined || groupOf(later) !== 'broken') continue;
    const past = await countPast(db, later, now);
    if (past > 0) byCause.set(later, past);
  }
  return byCause;
}

function sumByCondition(counts: readonly ConditionCount[]): Map<Condition, number> {
  const sums = new Map<Condition, number>();
  for (const { condition, n } of counts) sums.set(condition, (sums.get(condition) ?? 0) + n);
  return sums;
}

/** `later`: the state that begins with the time, if it has a group of its own. */
function statesOf(condition: Condition): {
  earlier: InstallationState;
  later?: InstallationState;
} {
  const states = installationStateSchema.options.filter(
    (state) => stateRules[state].condition === condition,
  );
  const earlier = states.find((state) => !stateRules[state].clock?.isPast) ?? 'uninstalled';
  const later = states.find((state) => stateRules[state].clock?.isPast);
  return later === undefined || groupOf(later) === groupOf(earlier)
    ? { earlier }
    : { earlier, later };
}

function countPast(db: Kysely<Tables>, state: InstallationState, now: number): Promise<number> {
  return countAll(db, [isInCondition(stateRules[state], now)]);
}
