/** The API of the dashboard's page about calls, under `/admin/api/calls`. Points in time are epoch milliseconds. */
import { z } from 'zod';
import { withoutNul } from '../plain-text.ts';
import { count, pointInTime } from '../point-in-time.ts';
import { fleetInstallationSchema } from './fleet-api.ts';

/** One call to a platform, or equal failures of one installation: then the details are those of the first. */
const callEntrySchema = z.object({
  id: z.string(),
  installation: fleetInstallationSchema.pick({
    id: true,
    name: true,
    host: true,
    tenantId: true,
    pluginId: true,
  }),
  /** How many calls, and when the first and the last of them ended. */
  count: z.int().positive(),
  firstAt: pointInTime,
  lastAt: pointInTime,
  /** The plug-in's operation; null: a call outside of one. */
  operation: z.string().nullable(),
  method: z.string(),
  /** Of the platform's API, without a query; `{id}` for each segment that is no plain word. */
  path: z.string(),
  /** Of the platform's API; null: the call got no token. */
  host: z.string().nullable(),
  /** The platform's answer; null: there was none. */
  status: z.int().nullable(),
  /** A reason of docs/errors.md; null: the call succeeded. */
  reason: z.string().nullable(),
  /** The transport's code without an answer, such as `ECONNRESET`. */
  fault: z.string().nullable(),
  durationMs: z.int().nonnegative(),
  /** Requests that were sent. */
  attempts: count,
  requestId: z.string().nullable(),
  /** The platform's id of the user. For operators and owners; null for viewers. */
  userId: z.string().nullable(),
  /** The first 200 characters of the answer of a failed call, secrets masked. Null: nothing was read, or a viewer asks. */
  answer: z.string().nullable(),
});

const filters = {
  installationId: withoutNul(z.string().min(1).max(100)).optional(),
  pluginId: withoutNul(z.string().min(1).max(64)).optional(),
  /** From this time on. */
  since: z.coerce.number().int().nonnegative().optional(),
  /** Before this time. */
  until: z.coerce.number().int().nonnegative().optional(),
};

/** The query of `GET /admin/api/calls`. All filters hold together. */
export const callsQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** `next` of the previous page. */
  after: z.string().max(400).optional(),
  ...filters,
  /** `all`: also the sample of calls that succeeded. */
  outcome: z.enum(['failed', 'all']).default('failed'),
  reason: withoutNul(z.string().min(1).max(64)).optional(),
  status: z.coerce.number().int().min(100).max(599).optional(),
  fault: withoutNul(z.string().min(1).max(64)).optional(),
  host: withoutNul(z.string().min(1).max(300)).optional(),
});

/** `GET /admin/api/calls`: the latest first. Failures are kept for seven days, the sample for one. */
export const callsSchema = z.object({
  now: pointInTime,
  calls: z.array(callEntrySchema),
  /** Where the next page begins; null on the last one. */
  next: z.string().nullable(),
});

/** The query of `GET /admin/api/calls/groups`. */
export const callGroupsQuerySchema = z.object(filters);

const groupCounts = {
  calls: count,
  installations: count,
  firstAt: pointInTime,
  lastAt: pointInTime,
};

/** `GET /admin/api/calls/groups`: failed calls by what is equal of them. */
export const callGroupsSchema = z.object({
  now: pointInTime,
  /** From when on failures are counted, if there are too many to count all; else null. */
  countedFrom: pointInTime.nullable(),
  /** By reason, status and code of the transport; the most calls first, at most 50. */
  reasons: z.array(
    callEntrySchema.pick({ status: true, fault: true }).extend({
      reason: z.string(),
      ...groupCounts,
    }),
  ),
  /** By host of the platform's API; the most calls first, at most 20. */
  hosts: z.array(z.object({ host: z.string(), ...groupCounts })),
});

export type CallEntry = z.infer<typeof callEntrySchema>;
export type CallsQuery = z.infer<typeof callsQuerySchema>;
export type Calls = z.infer<typeof callsSchema>;
export type CallGroupsQuery = z.infer<typeof callGroupsQuerySchema>;
export type CallGroups = z.infer<typeof callGroupsSchema>;
