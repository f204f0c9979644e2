/**
 * Part of migration 0007: one spelling of each issuer (docs/decisions/0018-one-issuer.md). Before it, an
 * issuer's path could end in a slash, so one plug-in in one tenant could be two installations. Like every
 * migration it is final, so it contains its own definition of canonical.
 */
import { type Kysely, sql } from 'kysely';

interface Spelling {
  id: string;
  issuer: string;
  tenantId: string;
  pluginId: string;
  isLive: number;
  beganIat: number;
  endedIat: number | null;
  endedAt: number | null;
  generation: number;
}

/** Removes the slash at the end of issuers. If two rows become equal, one is kept. */
export async function mergeIssuers(db: Kysely<unknown>): Promise<void> {
  const groups = Map.groupBy(await listSpellings(db), ({ issuer, tenantId, pluginId }) =>
    JSON.stringify([issuer, tenantId, pluginId]),
  );
  for (const [kept, ...others] of groups.values()) {
    if (kept) await merge(db, kept, others);
  }
  await sql`update installations set sealed_issuer = issuer, issuer = rtrim(issuer, '/')
    where issuer like '%/'`.execute(db);
}

/** Installations with several rows. The row to keep comes first. */
async function listSpellings(db: Kysely<unknown>): Promise<Spelling[]> {
  const { rows } = await sql<Spelling>`
    select id, rtrim(issuer, '/') as issuer, tenant_id as ${sql.ref('tenantId')},
      plugin_id as ${sql.ref('pluginId')},
      case when status = 'uninstalled' then 0 else 1 end as ${sql.ref('isLive')},
      began_iat as ${sql.ref('beganIat')}, ended_iat as ${sql.ref('endedIat')},
      ended_at as ${sql.ref('endedAt')}, generation
    from installations as one
    where exists (select 1 from installations as other
      where other.tenant_id = one.tenant_id and other.plugin_id = one.plugin_id
        and other.id <> one.id and rtrim(other.issuer, '/') = rtrim(one.issuer, '/'))
    order by case when status = 'uninstalled' then 2 when status = 'active' then 0 else 1 end,
      coalesce(applied_iat, -1) desc, coalesce(ended_iat, -1) desc, began_iat desc, id`.execute(db);
  return rows;
}

/** The kept row keeps its tokens and its generation, because its secrets are sealed with the generation. */
async function merge(
  db: Kysely<unknown>,
  kept: Spelling,
  others: readonly Spelling[],
): Promise<void> {
  const all = [kept, ...others];
  const newest = (points: (number | null)[]) =>
    Math.max(...points.map((point) => (point === null ? -1 : Number(point))));
  const lived = kept.isLive === 1 ? all.filter(({ isLive }) => isLive === 1) : all;
  const beganIat = newest(lived.map((row) => row.beganIat));
  const endedIat = newest(all.map((row) => row.endedIat));
  const endedAt = newest(all.map((row) => row.endedAt));
  for (const { id } of others) await moveHistory(db, id, kept.id);
  await sql`update installations set began_iat = ${beganIat},
    generation = ${kept.isLive === 1 ? kept.generation : newest(all.map((row) => row.generation))},
    ended_iat = ${limitEnd(endedIat, kept.isLive === 1 ? beganIat : undefined)},
    ended_at = ${kept.isLive === 1 || endedAt < 0 ? null : endedAt}
    where id = ${kept.id}`.execute(db);
}

/** An uninstall under the other spelling does not end the kept life. */
function limitEnd(endedIat: number, beganIat: number | undefined): number | null {
  if (endedIat < 0) return null;
  return beganIat === undefined ? endedIat : Math.min(endedIat, beganIat);
}

/** Moves history, instances and answers to events to the kept row. Tokens and sessions of the other row are deleted. */
async function moveHistory(db: Kysely<unknown>, from: string, to: string): Promise<void> {
  for (const table of ['events', 'token_operations']) {
    await sql`update ${sql.table(table)} set installation_id = ${to}
      where installation_id = ${from}`.execute(db);
  }
  await sql`insert into instances (installation_id, instance_id)
    select ${to}, instance_id from instances where installation_id = ${from}
    on conflict do nothing`.execute(db);
  await sql`insert into inbox (installation_id, digest, received_at, status, reason)
    select ${to}, digest, received_at, status, reason from inbox
    where installation_id = ${from} and status is not null
    on conflict do nothing`.execute(db);
  for (const table of ['instances', 'inbox', 'plugin_sessions', 'exchange_intents', 'grants']) {
    await sql`delete from ${sql.table(table)} where installation_id = ${from}`.execute(db);
  }
  await sql`delete from installations where id = ${from}`.execute(db);
}
