/** The filters of the list as SQL. Which state means what is in `stateRules` only. */
import {
  type Condition,
  type FleetQuery,
  groupOf,
  installationStateSchema,
  type StateClock,
  stateRules,
} from '@dowel/schema';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** What limits the list, besides the searched text. */
export type Filter = Pick<
  FleetQuery,
  'group' | 'state' | 'cause' | 'minAgeMs' | 'maxAgeMs' | 'scope' | 'pluginId'
> & { now: number };

/** A condition, and which of its states: those before a moment, those after it, or both. */
export interface WantedCondition {
  condition: Condition;
  clock?: StateClock;
}

const clockColumns = { tokenExpiresAt: 'token_expires_at', beganAt: 'created_at' } as const;

/** The conditions that a filter lets through; undefined: all. */
export function wantedConditions(filter: Filter): WantedCondition[] | undefined {
  const { group, state } = filter;
  const isOfAge = hasAge(filter);
  if (group === undefined && state === undefined && !isOfAge) return undefined;
  const states = installationStateSchema.options.filter(
    (each) =>
      (state === undefined || each === state) &&
      (group === undefined || groupOf(each) === group) &&
      (!isOfAge || groupOf(each) === 'broken'),
  );
  const byCondition = Map.groupBy(states, (each) => stateRules[each].condition);
  return [...byCondition].map(([condition, [first, ...others]]) => {
    const clock = others.length === 0 && first ? stateRules[first].clock : undefined;
    return clock ? { condition, clock } : { condition };
  });
}

export function isInCondition({ condition, clock }: WantedCondition, now: number) {
  const isCondition = sql<SqlBool>`condition = ${condition}`;
  return clock ? sql<SqlBool>`(${isCondition} and ${isOnSide(clock, now)})` : isCondition;
}

/** As `stateOf` decides. */
function isOnSide({ of, afterMs, isPast }: StateClock, now: number): RawBuilder<SqlBool> {
  const column = sql.ref(clockColumns[of]);
  const limit = sql`cast(${now - afterMs} as bigint)`;
  return isPast
    ? sql<SqlBool>`${column} <= ${limit}`
    : sql<SqlBool>`(${column} is null or ${column} > ${limit})`;
}

/** Whether it filters by how long an installation has been without access: then the others do not match. */
export function hasAge({ minAgeMs, maxAgeMs }: Pick<Filter, 'minAgeMs' | 'maxAgeMs'>): boolean {
  return minAgeMs !== undefined || maxAgeMs !== undefined;
}

/** Of a broken installation, as {@link wantedConditions} adds it to a filter with an age. As `withoutAccessSince` decides. */
function isWithoutAccessFor({ now, minAgeMs, maxAgeMs }: Filter): RawBuilder<SqlBool>[] {
  return [
    ...(minAgeMs === undefined ? [] : [sql<SqlBool>`unhealthy_since <= ${now - minAgeMs}`]),
    ...(maxAgeMs === undefined ? [] : [sql<SqlBool>`unhealthy_since >= ${now - maxAgeMs}`]),
  ];
}

/** Every condition of the filter; empty: all rows match. */
export function filterConditions(filter: Filter): RawBuilder<SqlBool>[] {
  const { now, cause, scope, pluginId } = filter;
  const wanted = wantedConditions(filter);
  const conditions: RawBuilder<SqlBool>[] = [];
  if (wanted) {
    const each = wanted.map((one) => isInCondition(one, now));
    conditions.push(each.length === 0 ? sql`1 = 0` : sql<SqlBool>`(${sql.join(each, sql` or `)})`);
  }
  if (cause !== undefined) conditions.push(sql`cause = ${cause}`);
  conditions.push(...isWithoutAccessFor(filter));
  if (pluginId !== undefined) conditions.push(sql`plugin_id = ${pluginId}`);
  if (scope !== undefined) {
    conditions.push(sql`' ' || granted_scopes || ' ' like ${containing(` ${scope} `)} escape '!'`);
  }
  return conditions;
}

/** A pattern of LIKE with the escape character `!`. */
export function containing(text: string): string {
  return `%${startingWith(text)}`;
}

export function startingWith(text: string): string {
  return `${text.replace(/[!%_]/g, '!$&')}%`;
}
