/** What a tenant has under another issuer (docs/decisions/0018-one-issuer.md). */
import { sql } from 'kysely';

/**
 * For a row of `installations`: the id of the tenant's other living installation of this plug-in, the one with the
 * newest tokens if there are several; null: there is none.
 */
export const otherAddressId = sql<string | null>`(select other.id from installations as other
  where other.tenant_id = installations.tenant_id and other.plugin_id = installations.plugin_id
    and other.issuer <> installations.issuer and other.status <> 'uninstalled'
    and other.awaits_admission = 0
  order by coalesce(other.applied_iat, 0) desc, other.id limit 1)`;

/** Whether the tokens of that installation are from a newer event than those of this one. Null: there is none. */
export const isOtherNewer = sql<number | null>`(select case
    when coalesce(newer.applied_iat, 0) > coalesce(installations.applied_iat, 0) then 1 else 0 end
  from installations as newer where newer.id = ${otherAddressId})`;
