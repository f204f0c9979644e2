/** Migration 0031: from when an installation is without access, instead of its first failure (docs/decisions/0041-read-model.md). */
import { type Kysely, sql } from 'kysely';

/** The end of the token as the platform named it, or the death of the grant if that came first. */
const usableUntil = sql`case
  when installations.status = 'awaiting_event' and installations.error_at < grants.expires_at
    and (installations.token_expires_at is null
      or installations.error_at < installations.token_expires_at)
  then installations.error_at
  when installations.token_expires_at < grants.expires_at then installations.token_expires_at
  else grants.expires_at end`;

const accessEnd = sql`(select case when ${usableUntil} > grants.failing_since then ${usableUntil}
    else grants.failing_since end
  from grants where grants.installation_id = installations.id)`;

export async function addAccessEnds(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('outages').addColumn('access_ends_at', 'bigint').execute();
  await sql`update installations set unhealthy_since = coalesce(${accessEnd}, unhealthy_since)
    where condition in ('failing', 'awaiting')`.execute(db);
  await sql`update outages set access_ends_at = (select unhealthy_since from installations
      where installations.id = outages.installation_id)
    where ended_at is null`.execute(db);
  await reopenPaused(db);
}

/** A pause ended the outage. It goes on if no tokens came since then. */
async function reopenPaused(db: Kysely<unknown>): Promise<void> {
  const ofInstallation = sql`from installations
    join grants on grants.installation_id = installations.id
    where installations.id = outages.installation_id`;
  await sql`update outages set ended_at = null, ended_by = null,
      access_ends_at = (select ${accessEnd} from installations
        where installations.id = outages.installation_id)
    where ended_by = 'pause'
      and id = (select max(id) from outages as newest
        where newest.installation_id = outages.installation_id)
      and exists (select 1 ${ofInstallation}
        and installations.condition = 'paused'
        and installations.generation = outages.generation
        and grants.failing_since <= outages.ended_at)`.execute(db);
}
