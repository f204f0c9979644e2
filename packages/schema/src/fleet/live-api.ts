/** The stream of changes that keeps the dashboard's pages fresh: `GET /admin/api/changes`, server-sent events. */
import { z } from 'zod';
import { type FleetInstallation, fleetInstallationSchema, fleetSchema } from './fleet-api.ts';
import { stateOf } from './installation-state.ts';

const { shape } = fleetInstallationSchema;

/**
 * A row that has changed. What has its usual value is left out. What never changes is left out too if the change is
 * of no news: most changes are refreshes of healthy installations, which a page knows, or need not know.
 */
export const rowPatchSchema = z.object({
  id: shape.id,
  name: shape.name.default(''),
  generation: shape.generation.default(1),
  condition: shape.condition.default('healthy'),
  cause: shape.cause.default(null),
  accessEndsAt: shape.accessEndsAt.default(null),
  failingSince: shape.failingSince.default(null),
  nextAttempt: shape.nextAttempt.default(null),
  tries: shape.tries.default(0),
  canAsk: shape.canAsk.default(true),
  tokenExpiresAt: shape.tokenExpiresAt.default(null),
  lastEventAt: shape.lastEventAt.default(null),
  lastFailure: shape.lastFailure.default(null),
  parkedHooks: shape.parkedHooks.default(0),
  beganAt: shape.beganAt.optional(),
  host: shape.host.optional(),
  issuer: shape.issuer.optional(),
  tenantId: shape.tenantId.optional(),
  pluginId: shape.pluginId.optional(),
});

/** Data of each `changed` message: the changes of about a second. */
export const liveChangesSchema = z.object({
  now: shape.beganAt,
  rows: z.array(rowPatchSchema).default([]),
  /** Ids of installations that were purged. */
  gone: z.array(z.string()).default([]),
  /** More changed than a message tells: fetch what is in view. */
  isPartial: z.boolean().default(false),
  /** The counts, if they have changed. */
  fleet: fleetSchema.omit({ now: true, pluginName: true, scopes: true }).optional(),
});

/** As the stream sends it. */
export type RowPatch = z.input<typeof rowPatchSchema>;
export type LiveChanges = z.infer<typeof liveChangesSchema>;
export type LiveMessage = z.input<typeof liveChangesSchema>;

const usual: Readonly<Record<string, unknown>> = rowPatchSchema.parse({ id: '' });
/** Since an installation began, or was in trouble. */
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

/**
 * The row with what has changed; undefined if it is unknown and the patch does not tell all of it.
 *
 * @param now the server's clock
 */
export function applyRowPatch(
  row: FleetInstallation | undefined,
  patch: z.infer<typeof rowPatchSchema>,
  now: number,
): FleetInstallation | undefined {
  const whole = fleetInstallationSchema.omit({ state: true }).safeParse({ ...row, ...patch });
  return whole.data && { ...whole.data, state: stateOf(whole.data, now) };
}
