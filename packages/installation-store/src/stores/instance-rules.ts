/**
 * The instances that a platform has placed (docs/decisions/0023). Each instance, also a removed one, keeps
 * the `iat` of its newest event, so the events may come in any order.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import { type Parameter, prepare } from '../sql/prepare.ts';

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
  context: Context,
  { isRemoved, ...change }: InstanceChange,
): Promise<boolean> {
  const { numAffectedRows } = await (isRemoved ? writeRemoved : writePlaced)(context, change);
  return numAffectedRows === 1n;
}

type Context = Pick<Database, 'db'>;
type InstanceEvent = Omit<InstanceChange, 'isRemoved'>;

const writePlaced = prepare(({ db }: Context, change: Parameter<InstanceEvent>) => {
  const iat = change('iat');
  return insertInstance(db, change, 0).onConflict((conflict) =>
    conflict
      .columns(['installation_id', 'instance_id'])
      .doUpdateSet({ changed_iat: iat, removed: 0 })
      .where((eb) => eb('instances.changed_iat', '<', iat)),
  );
});

const writeRemoved = prepare(({ db }: Context, change: Parameter<InstanceEvent>) => {
  const iat = change('iat');
  return insertInstance(db, change, 1).onConflict((conflict) =>
    conflict
      .columns(['installation_id', 'instance_id'])
      .doUpdateSet({ changed_iat: iat, removed: 1 })
      .where((eb) => eb('instances.changed_iat', '<=', iat)),
  );
});

function insertInstance(db: Context['db'], change: Parameter<InstanceEvent>, removed: 0 | 1) {
  return db.insertInto('instances').values({
    installation_id: change('installationId'),
    instance_id: change('instanceId'),
    changed_iat: change('iat'),
    removed,
  });
}

/** A column of the outer query, or a value. */
type Operand = RawBuilder<unknown>;

/** True if the platform has placed this instance and not removed it. */
function isPlaced(installationId: Operand, instanceId: Operand): RawBuilder<SqlBool> {
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
