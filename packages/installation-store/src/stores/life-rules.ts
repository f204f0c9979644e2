/**
 * The rules for which life of an installation an event belongs to (docs/decisions/0017). They are conditions
 * and columns of the statements that change the row, so events may come in any order, to several processes.
 */
import type { InstallationStatus } from '@dowel/schema';
import { type RawBuilder, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';

/** Tokens of an event that was signed at least this much later prove a life that began after the uninstall. */
const orderToleranceSeconds = 5;

/** The columns of a life that begins with an install, or with the access_token event of a code. */
export function newLife(iat: number, code: string | null, isOfInstall: boolean) {
  return {
    status: 'pending',
    began_iat: iat,
    began_by: isOfInstall ? 'install' : 'access_token',
    began_code: code,
    installed_iat: isOfInstall ? iat : null,
  } as const;
}

/** Clears the columns of the previous life. Its secrets are deleted already. */
export const leftovers = {
  sealed_issuer: null,
  applied_iat: null,
  error_reason: null,
  error_at: null,
  ended_at: null,
  next_trigger_at: null,
  triggers: 0,
  heal_at: null,
  broken_since: null,
  awaits_admission: 0,
  granted_scopes: null,
  scopes_at: null,
  token_expires_at: null,
} as const;

/**
 * A new life begins after the end of the previous one. An install may have the same second as that end. But
 * if no life was seen before the end, that install began the life that has ended.
 *
 * @param lives the number of lives of the row that do not count as lives before that end.
 */
export function isLaterThanEnd(iat: number, isOfInstall: boolean, lives = 0) {
  const isOfThatSecond = isOfInstall
    ? sql`(installations.ended_iat = ${iat} and installations.generation > ${lives})`
    : sql`1 = 0`;
  return sql<boolean>`(installations.ended_iat is null or installations.ended_iat < ${iat}
    or ${isOfThatSecond})`;
}

/**
 * The columns that an uninstall changes in an existing row. A life that began after the uninstall was signed
 * continues. If its tokens are from an earlier event, they belong to the ended life and are deleted.
 */
export function endOfLife(iat: number, now: RawBuilder<number>) {
  const isOver = sql`(installations.status = 'uninstalled' or (installations.began_iat <= ${iat}
    and (installations.applied_iat is null
      or installations.applied_iat <= ${iat + orderToleranceSeconds})))`;
  const losesTokens = sql`(installations.applied_iat <= ${iat})`;
  const stored = (column: keyof Tables['installations']) => sql.ref(`installations.${column}`);
  return {
    status: sql<InstallationStatus>`case when ${isOver} then 'uninstalled'
      when ${losesTokens} then 'pending' else ${stored('status')} end`,
    token_version: sql<number>`case when ${losesTokens} and not ${isOver}
      then ${stored('token_version')} + 1 else ${stored('token_version')} end`,
    applied_iat: sql<number>`case when ${isOver} or ${losesTokens}
      then null else ${stored('applied_iat')} end`,
    began_iat: sql<number>`case when ${isOver} or ${stored('began_iat')} > ${iat} then ${stored('began_iat')} else ${stored('applied_iat')} end`,
    began_code: sql<string>`case when ${stored('began_iat')} > ${iat}
      then ${stored('began_code')} end`,
    installed_iat: sql<number>`case when ${isOver} then null
      when ${stored('installed_iat')} > ${iat}
      then ${stored('installed_iat')} end`,
    ended_iat: sql<number>`case when ${stored('ended_iat')} > ${iat}
      then ${stored('ended_iat')} else ${iat} end`,
    ended_at: sql<number>`case when ${isOver} then ${now} end`,
    next_trigger_at: sql<number>`case when ${isOver} or ${losesTokens}
      then null else ${stored('next_trigger_at')} end`,
  };
}

/** True for an event of this life, or one that was signed after its end and so belongs to the next life. */
export function isOfLife(generation: number, iat: number) {
  return sql<boolean>`(installations.ended_iat < ${iat} or (installations.generation = ${generation}
    and (installations.ended_iat is null or installations.ended_iat = ${iat})))`;
}
