/**
 * The API of the dashboard's pages about all installations, under `/admin/api/fleet`. No type has a field for
 * a secret. Points in time are epoch milliseconds.
 */
import { eventDetailSchema, lifecycleEventNames, unknownMemberSchema } from '@dowel/schema';
import { z } from 'zod';
import { withoutNul } from '../plain-text.ts';
import { count, pointInTime } from '../point-in-time.ts';
import { dashboardLanguageSchema } from '../sign-in-api.ts';
import { deliveryEventSchema } from './deliveries-api.ts';
import {
  conditionSchema,
  installationStateSchema,
  stateGroupSchema,
} from './installation-state.ts';

/** Milliseconds; negative when the clock was set back in between. */
const duration = z.number();
/** The database's number; counts up from 1. */
const rowId = z.int();

/** One row of the list. */
export const fleetInstallationSchema = z.object({
  id: z.string(),
  /** Given by an operator; empty without. */
  name: z.string(),
  /** The tenant's address: the host of its issuer, with the path if it has one. */
  host: z.string(),
  issuer: z.string(),
  tenantId: z.string(),
  pluginId: z.string(),
  /** The number of its life. */
  generation: z.int(),
  /** At the server's `now`. The page computes it again with `stateOf` when time passes. */
  state: installationStateSchema,
  condition: conditionSchema,
  /** Why it is not healthy: a reason of docs/errors.md. Null while it is. */
  cause: z.string().nullable(),
  /**
   * From when it is without access; null: it is not in trouble. In the future while a failing installation
   * still has a valid token. `withoutAccessSince` returns whether it is without access at a time.
   */
  accessEndsAt: pointInTime.nullable(),
  /** When its first refresh failed. Null: it is not failing. */
  failingSince: pointInTime.nullable(),
  /** What its calls met, as far as it was in trouble; null: nothing is known. */
  calls: z
    .object({
      /** How many processes have reported, and in how many calls fail. */
      processes: count,
      failing: count,
      lastSuccessAt: pointInTime.nullable(),
      /** The first failure since a success. Null: no calls fail. */
      failingSince: pointInTime.nullable(),
      failures: count,
      /** Of the newest failure: a reason of docs/errors.md, and the platform's status, if it answered. */
      reason: z.string().nullable(),
      status: z.int().nullable(),
    })
    .nullable(),
  /** What Dowel does next by itself, and when; null: nothing is planned. */
  nextAttempt: z.object({ what: z.enum(['refresh', 'trigger']), at: pointInTime }).nullable(),
  /** Failed refreshes of this token set, or triggers that were sent for it. */
  tries: count,
  /** Whether the platform gave a way to ask for a new access_token event. */
  canAsk: z.boolean(),
  beganAt: pointInTime,
  /** As the platform named it, also after the grant died; null: it named none, or there were no tokens. */
  tokenExpiresAt: pointInTime.nullable(),
  /** To about a minute. Null: unknown. */
  lastEventAt: pointInTime.nullable(),
  /** The latest failure. It does not make an installation broken. */
  lastFailure: z.object({ reason: z.string(), at: pointInTime }).nullable(),
  /** Hook deliveries that wait for an operator. */
  parkedHooks: count,
  /**
   * The same tenant has the same plug-in under another issuer, too; null: it has not. `isNewer`: the tokens there are
   * from a newer event.
   */
  otherAddress: z.object({ id: z.string(), host: z.string(), isNewer: z.boolean() }).nullable(),
});

/** What the list can be sorted by. */
export const fleetSortSchema = z.enum(['broken', 'host', 'began', 'expiry', 'event']);

/** Of what each order looks at; `broken` at the time from when it is without access. */
export const fleetSortDirections = {
  broken: 'asc',
  host: 'asc',
  began: 'desc',
  expiry: 'asc',
  event: 'desc',
} as const satisfies Record<z.infer<typeof fleetSortSchema>, 'asc' | 'desc'>;

/** The query of `GET /admin/api/fleet/installations`. All filters hold together. */
export const fleetQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  /** `next` of the previous page; valid only with the same filters and order. */
  after: z.string().max(4096).optional(),
  /** A part of the name, the host, the id, or the tenant's or plug-in's id. One or two letters: the beginning of one. */
  search: withoutNul(z.string().trim().max(256)).optional(),
  group: stateGroupSchema.optional(),
  state: installationStateSchema.optional(),
  /** A name of `causeNameOf`. */
  cause: withoutNul(z.string().max(64)).optional(),
  /** Only installations without access for at least, or at most, this long. */
  minAgeMs: z.coerce.number().int().nonnegative().optional(),
  maxAgeMs: z.coerce.number().int().nonnegative().optional(),
  /** A scope that it has now: one that was withdrawn, or ended with an uninstall, does not count. */
  scope: withoutNul(z.string().max(256)).optional(),
  pluginId: withoutNul(z.string().max(64)).optional(),
  /** Default: `broken`, the longest without access first; then all others, the newest first. */
  sort: fleetSortSchema.default('broken'),
  /** Default: the usual direction of the column. */
  direction: z.enum(['asc', 'desc']).optional(),
});

/** The query of `GET /admin/api/fleet/export`: the filters of the list. The rows come by host. */
export const fleetExportQuerySchema = fleetQuerySchema
  .omit({ limit: true, after: true, sort: true, direction: true })
  .extend({
    format: z.enum(['csv', 'json']),
    /** Of CSV: the language of the column names. `en` separates by commas, `de` by semicolons. */
    language: dashboardLanguageSchema.default('en'),
  });

/**
 * The query of `GET /admin/api/fleet/rows`: the rows that the page shows, to refresh them. Ids with commas
 * between them.
 */
export const fleetRowsQuerySchema = z.object({ ids: withoutNul(z.string().max(8192)) });

/** How many installations match; `isExact` false: more than `count`. */
const totalSchema = z.object({ count, isExact: z.boolean() });

/** `GET /admin/api/fleet/installations` */
export const fleetListSchema = z.object({
  /** The server's clock. */
  now: pointInTime,
  installations: z.array(fleetInstallationSchema),
  /** Where the next page begins; null on the last one. */
  next: z.string().nullable(),
  /** The page is not full, but more rows may match: ask for `next`. */
  isSearching: z.boolean(),
  /** Null on later pages, and for a filter that only reading all rows could count. */
  total: totalSchema.nullable(),
});

/** `GET /admin/api/fleet/rows`: without those that were purged. */
export const fleetRowsSchema = fleetListSchema.pick({ now: true, installations: true });

/** `GET /admin/api/fleet`: exact counts of all installations. */
export const fleetSchema = z.object({
  now: pointInTime,
  pluginName: z.string(),
  groups: z.record(stateGroupSchema, count),
  states: z.record(installationStateSchema, count),
  /** The causes of broken and failing installations, by `causeNameOf`, the most frequent first. */
  causes: z.array(z.object({ cause: z.string(), count })),
  /** How many are without access, by how long. */
  brokenWithinHour: count,
  brokenOverDay: count,
  /** Hook deliveries that wait for an operator. */
  parkedHooks: count,
  /** The first 50 plug-in ids that installations have, to suggest them for the filter. */
  pluginIds: z.array(z.string()),
  /** The scopes that the manifests request, for the filter. */
  scopes: z.array(z.string()),
  /** Where the manifests are, one for each plug-in, to install it. */
  manifestUrls: z.array(z.string()),
});

/** A time without reliable access. */
const outageSchema = z.object({
  id: z.int(),
  generation: z.int(),
  /** The newest cause. */
  cause: z.string(),
  /** The first failure. */
  beganAt: pointInTime,
  /** From when it was without access; later than its end if a token was still valid then. */
  accessEndsAt: pointInTime,
  /** Null: it continues. */
  endedAt: pointInTime.nullable(),
  endedBy: z.enum(['refresh', 'event', 'uninstall', 'install', 'pause', 'call']).nullable(),
});

/** `GET /admin/api/fleet/installations/:id` */
export const fleetDetailSchema = z.object({
  now: pointInTime,
  pluginName: z.string(),
  installation: fleetInstallationSchema,
  /** Since when the state holds. */
  since: pointInTime,
  /** Null: it has none. Never the token itself. */
  token: z
    .object({
      version: z.int(),
      issuedAt: pointInTime,
      expiresAt: pointInTime.nullable(),
      /** From then on a call renews it; null without an end. */
      renewsFrom: pointInTime.nullable(),
      hasRefreshToken: z.boolean(),
    })
    .nullable(),
  scopes: z.object({
    requested: z.array(z.string()),
    /** Granted with the newest token set; kept after an uninstall. */
    granted: z.array(z.string()),
    /** When they were granted; null: never. */
    at: pointInTime.nullable(),
    /** When they ended: at the uninstall. Null: they have not. */
    endedAt: pointInTime.nullable(),
  }),
  /** The latest call that failed, while calls fail; null: they do not, or the log does not have it. */
  failedCall: z
    .object({
      at: pointInTime,
      method: z.string(),
      path: z.string(),
      /** The platform's answer; null: there was none. */
      status: z.int().nullable(),
      /** The transport's code without an answer, such as `ECONNRESET`. */
      fault: z.string().nullable(),
      /** The first 200 characters of the answer, secrets masked. Null: nothing was read, or a viewer asks. */
      answer: z.string().nullable(),
    })
    .nullable(),
  /** Newest first, at most 50. */
  outages: z.array(outageSchema),
  instanceIds: z.array(z.string()),
  /** The form of a page's `src` that names no placed widget, such as `<text 8>`; null: every page has named one. */
  srcForm: z.string().nullable(),
  /** Members of its events that the schemas do not know; each place once, the latest first, at most 20. */
  drift: z.array(
    unknownMemberSchema.extend({
      event: z.enum(lifecycleEventNames),
      /** When the newest event with this member came. */
      at: pointInTime,
    }),
  ),
  /** The newest event that was refused for its times. Null: there was none, or one was accepted after it. */
  clockSkew: z
    .object({
      /** Of the delivery. */
      id: z.string(),
      at: pointInTime,
      event: deliveryEventSchema,
      /** `expired` or `not_yet_valid`. */
      reason: z.string(),
      /** By this server's clock. */
      offBySeconds: z.int(),
    })
    .nullable(),
  /** By an operator; empty without. */
  notes: z.string(),
  /** Null: it is not paused. `by` is '' when it rests by itself, because its tenant has a newer address. */
  pause: z.object({ at: pointInTime, by: z.string(), reason: z.string() }).nullable(),
  /** Since when a hook delivery waits for an operator; null: none does. */
  hooksParkedSince: pointInTime.nullable(),
  /** When an uninstalled installation is purged; null while it is installed. */
  purgedAt: pointInTime.nullable(),
});

/** One verified event and its answer (Spec §4.1, §6). */
const eventRecordSchema = z.object({
  id: rowId,
  event: z.enum(lifecycleEventNames),
  receivedAt: pointInTime,
  /** From the request to the answer. */
  durationMs: duration,
  /** The HTTP status of the answer. */
  status: z.int().min(100).max(599),
  /** Why it was refused: a reason of docs/errors.md; null when it was accepted. */
  reason: z.string().nullable(),
});

/** One token request or trigger (Spec §4.2, §4.3). */
const tokenOperationSchema = z.object({
  id: rowId,
  operation: z.enum(['exchange', 'refresh', 'trigger']),
  startedAt: pointInTime,
  durationMs: duration,
  succeeded: z.boolean(),
  /** The version of the new token set; null when there is none. */
  tokenVersion: z.int().nullable(),
  /** Why it failed; null when it succeeded. */
  reason: z.string().nullable(),
});

/** One entry of the timeline. `id` is unique among the entries of its kind. */
const timelineEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('event'),
    at: pointInTime,
    /** Without a detail: an earlier version recorded the event. */
    entry: eventRecordSchema.extend({ detail: eventDetailSchema.nullable() }),
  }),
  z.object({
    /** An exchange belongs to the refreshes. */
    kind: z.enum(['refresh', 'trigger']),
    at: pointInTime,
    entry: tokenOperationSchema,
  }),
  z.object({
    kind: z.literal('hook'),
    at: pointInTime,
    entry: z.object({
      id: z.int(),
      hook: z.string(),
      state: z.enum(['waiting', 'delivered', 'parked', 'superseded']),
      attempts: count,
      /** Null while it waits. */
      settledAt: pointInTime.nullable(),
    }),
  }),
]);

export const timelineKindSchema = z.enum(['event', 'refresh', 'trigger', 'hook']);

/** The query of `GET /admin/api/fleet/installations/:id/timeline`. */
export const timelineQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  after: z.string().max(4096).optional(),
  /** Kinds with commas between them. Default: all. */
  kinds: z
    .string()
    .max(64)
    .transform((text) => text.split(','))
    .pipe(z.array(timelineKindSchema))
    .optional(),
});

/** Newest first. */
export const timelineSchema = z.object({
  now: pointInTime,
  entries: z.array(timelineEntrySchema),
  next: z.string().nullable(),
});

export type EventRecord = z.infer<typeof eventRecordSchema>;
export type TokenOperation = z.infer<typeof tokenOperationSchema>;
export type FleetInstallation = z.infer<typeof fleetInstallationSchema>;
export type FleetSort = z.infer<typeof fleetSortSchema>;
export type FleetQuery = z.infer<typeof fleetQuerySchema>;
export type FleetExportQuery = z.infer<typeof fleetExportQuerySchema>;
export type Total = z.infer<typeof totalSchema>;
export type FleetList = z.infer<typeof fleetListSchema>;
export type Fleet = z.infer<typeof fleetSchema>;
export type Outage = z.infer<typeof outageSchema>;
export type FleetDetail = z.infer<typeof fleetDetailSchema>;
export type TimelineEntry = z.infer<typeof timelineEntrySchema>;
export type TimelineKind = z.infer<typeof timelineKindSchema>;
