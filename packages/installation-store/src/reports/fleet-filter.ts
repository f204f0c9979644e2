/** The filters of the list as SQL. Which state means what is in `stateRules` only. */
import {
  type Condition,
  causeNameOf,
  type FleetQuery,
  findsBeginnings,
  foldSearch,
  groupOf,
  type InstallationState,
  installationStateSchema,
  type StateClock,
  stateRules,
} from '@dowel/admin-api';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** The filters of the list. */
export type Filter = Pick<
  FleetQuery,
  'group' | 'state' | 'cause' | 'minAgeMs' | 'maxAgeMs' | 'scope' | 'pluginId' | 'search'
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

/** Decides like `stateOf`. */
function isOnSide({ of, afterMs, isPast }: StateClock, now: number): RawBuilder<SqlBool> {
  const column = sql.ref(clockColumns[of]);
  const limit = sql`cast(${now - afterMs} as bigint)`;
  return isPast
    ? sql<SqlBool>`${column} <= ${limit}`
    : sql<SqlBool>`(${column} is null or ${column} > ${limit})`;
}

/**
 * Whether it filters by how long an installation has been without access. Then installations with access do not
 * match.
 */
export function hasAge({ minAgeMs, maxAgeMs }: Pick<Filter, 'minAgeMs' | 'maxAgeMs'>): boolean {
  return minAgeMs !== undefined || maxAgeMs !== undefined;
}

/**
 * The age of the trouble, for broken installations only: {@link wantedConditions} leaves out the others.
 * Decides like `withoutAccessSince`.
 */
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
  if (cause !== undefined) conditions.push(isOfCause(cause, now));
  conditions.push(...isWithoutAccessFor(filter));
  if (pluginId !== undefined) conditions.push(sql`plugin_id = ${pluginId}`);
  if (scope !== undefined) conditions.push(isGranted(scope));
  if (hasSearch(filter)) conditions.push(containsText(filter.search));
  return conditions;
}

/** States whose installations have this name among the causes when they have no cause. */
export function statesNamed(name: string): InstallationState[] {
  return installationStateSchema.options.filter((state) => causeNameOf(null, state) === name);
}

export function isOfCause(name: string, now: number): RawBuilder<SqlBool> {
  const states = statesNamed(name).map((state) => isInCondition(stateRules[state], now));
  if (states.length === 0) return sql<SqlBool>`cause = ${name}`;
  return sql<SqlBool>`(cause is null and (${sql.join(states, sql` or `)}))`;
}

/**
 * The stored scopes outlive an uninstall, and an answer of the platform that lacked a needed scope. A pause hides the
 * cause of such an answer, but not the latest failure.
 */
function isGranted(scope: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(' ' || granted_scopes || ' ' like ${containing(` ${scope} `)} escape '!'
    and condition not in ('uninstalled', 'refused')
    and coalesce(cause, '') <> 'scope_missing' and coalesce(error_reason, '') <> 'scope_missing')`;
}

/** Whether it filters by a text. */
export function hasSearch<Given extends Pick<Filter, 'search'>>(
  filter: Given,
): filter is Given & { search: string } {
  return foldSearch(filter.search ?? '') !== '';
}

/** One or two letters are in nearly every id, so they find only what begins with them. */
function containsText(search: string): RawBuilder<SqlBool> {
  const folded = foldSearch(search);
  const text = findsBeginnings(folded) ? `\n${folded}` : folded;
  return sql<SqlBool>`search_text like ${containing(text)} escape '!'`;
}

/** A pattern of LIKE with the escape character `!`. */
function containing(text: string): string {
  return `%${text.replace(/[!%_]/g, '!$&')}%`;
}
