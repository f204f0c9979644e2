/**
 * The instances that a platform has placed (docs/decisions/0023). Each instance, also a removed one, keeps
 * the `iat` of its newest event, so the events may come in any order.
 */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../sql/tables.ts';

export interface InstanceChange {
  installationId: string;
  instanceId: string;
  /** `iat` of the event, in seconds. */
  iat: number;
  isRemoved: boolean;
}

/**
 * Applies an instance event, unless a newer one is applied already. If two events have the same second, the
 * removal wins. The rule is part of the statement, so no other process can interfere.
 *
 * @returns whether it was written.
 */
export async function writeInstance(
  db: Kysely<Tables>,
  { installationId, instanceId, iat, isRemoved }: InstanceChange,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('instances')
    .values({
      installation_id: installationId,
      instance_id: instanceId,
      changed_iat: iat,
      removed: isRemoved ? 1 : 0,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['installation_id', 'instance_id'])
        .doUpdateSet({ changed_iat: iat, removed: isRemoved ? 1 : 0 })
        .where((eb) =>
          isRemoved
            ? eb('instances.changed_iat', '<=', iat)
            : eb('instances.changed_iat', '<', iat),
        ),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** A column of the outer query, or a value. */
type Operand = RawBuilder<unknown>;

/** True if the platform has placed this instance and not removed it. */
export function isPlaced(installationId: Operand, instanceId: Operand): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from instances as placed
    where placed.installation_id = ${installationId} and placed.instance_id = ${instanceId}
      and placed.removed = 0)`;
}

/** True if this installation never had an instance event, so its instances are unknown. */
export function hasNoInstanceEvents(installationId: Operand): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (select 1 from instances as any_instance
    where any_instance.installation_id = ${installationId})`;
}

/**
 * True if the instance may have sessions of this installation. After the first instance event, only placed
 * instances may.
 */
export function mayHaveSessions(installationId: Operand, instanceId: Operand) {
  return sql<SqlBool>`(${isPlaced(installationId, instanceId)} or ${hasNoInstanceEvents(installationId)})`;
}
