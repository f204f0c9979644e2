/** The stream of changes that keeps the dashboard's pages fresh: `GET /admin/api/changes`, server-sent events. */
import { z } from 'zod';
import { type FleetInstallation, fleetInstallationSchema, fleetSchema } from './fleet-api.ts';
import { stateOf } from './installation-state.ts';

const { shape } = fleetInstallationSchema;

/**
 * A changed row. Members with their usual value are left out. Members that never change are left out too,
 * unless the row is in trouble, new, or was in trouble lately: most changes are refreshes of healthy
 * installations, which a page has already or does not show.
 */
export const rowPatchSchema = z.object({
  id: shape.id,
  name: shape.name.default(''),
  generation: shape.generation.default(1),
  condition: shape.condition.default('healthy'),
  cause: shape.cause.default(null),
  accessEndsAt: shape.accessEndsAt.default(null),
  failingSince: shape.failingSince.default(null),
  calls: shape.calls.default(null),
  nextAttempt: shape.nextAttempt.default(null),
  tries: shape.tries.default(0),
  canAsk: shape.canAsk.default(true),
  tokenExpiresAt: shape.tokenExpiresAt.default(null),
  lastEventAt: shape.lastEventAt.default(null),
  lastFailure: shape.lastFailure.default(null),
  parkedHooks: shape.parkedHooks.default(0),
  otherAddress: shape.otherAddress.default(null),
  beganAt: shape.beganAt.optional(),
  host: shape.host.optional(),
  issuer: shape.issuer.optional(),
  tenantId: shape.tenantId.optional(),
  pluginId: shape.pluginId.optional(),
});

/**
 * What has changed of a row since the stream last sent it. What is left out is as it was. With another state than this,
 * a page has read the row between two changes that became one delta.
 */
export const rowDeltaSchema = fleetInstallationSchema.partial().required({ id: true, state: true });

/** Data of each `changed` message: the changes of about a second. */
export const liveChangesSchema = z.object({
  now: shape.beganAt,
  rows: z.array(rowPatchSchema).default([]),
  /**
   * Rows whose state and cause are as the stream last sent them. A page that does not know such a row needs nothing of
   * it: it belongs to the same lists as before.
   */
  deltas: z.array(rowDeltaSchema).default([]),
  /** Ids of installations that were purged. */
  gone: z.array(z.string()).default([]),
  /** More rows changed than one message contains: fetch the visible rows again. */
  isPartial: z.boolean().default(false),
  /** The counts, if they or the plug-in ids have changed; the ids only if they have. */
  fleet: fleetSchema
    .omit({ now: true, pluginName: true, scopes: true, manifestUrls: true })
    .partial({ pluginIds: true })
    .optional(),
});

/** As the stream sends it. */
export type RowPatch = z.input<typeof rowPatchSchema>;
export type RowDelta = z.infer<typeof rowDeltaSchema>;
export type LiveChanges = z.infer<typeof liveChangesSchema>;
export type LiveMessage = z.input<typeof liveChangesSchema>;

const usual: Readonly<Record<string, unknown>> = rowPatchSchema.parse({ id: '' });
/** A patch is complete for this long after an installation began or last failed. */
const newsMs = 10 * 60_000;
const fixed: ReadonlySet<string> = new Set(['beganAt', 'host', 'issuer', 'tenantId', 'pluginId']);

/** @param now the server's clock */
export function toRowPatch(row: Omit<FleetInstallation, 'state'>, now: number): RowPatch {
  const { condition, beganAt, lastFailure } = row;
  const isNews = condition !== 'healthy' || Math.max(beganAt, lastFailure?.at ?? 0) > now - newsMs;
  const told = Object.entries(row).filter(
    ([name, value]) =>
      name in shape && name !== 'state' && (isNews || !fixed.has(name)) && value !== usual[name],
  );
  return { id: row.id, ...Object.fromEntries(told) };
}

/** @param sent the row as the stream last sent it. */
export function toRowDelta(
  row: FleetInstallation,
  sent: Omit<FleetInstallation, 'state'>,
): RowDelta {
  const before: Readonly<Record<string, unknown>> = sent;
  const changed = Object.entries(row).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return { ...Object.fromEntries(changed), id: row.id, state: row.state };
}

/**
 * The row with the changes applied; undefined if the row is unknown and the patch is not complete.
 *
 * @param now the server's clock
 */
export function applyRowPatch(
  row: FleetInstallation | undefined,
  patch: z.infer<typeof rowPatchSchema> | RowDelta,
  now: number,
): FleetInstallation | undefined {
  const whole = fleetInstallationSchema.omit({ state: true }).safeParse({ ...row, ...patch });
  return whole.data && { ...whole.data, state: stateOf(whole.data, now) };
}
