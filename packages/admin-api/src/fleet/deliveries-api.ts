/** The API of the dashboard's page about events, under `/admin/api/deliveries`. Points in time are epoch milliseconds. */
import { lifecycleEventNames } from '@dowel/schema';
import { z } from 'zod';
import { withoutNul } from '../plain-text.ts';
import { pointInTime } from '../point-in-time.ts';

/** The event that the platform posted; `session`: the session that the page of a plug-in asked for. */
export const deliveryEventSchema = z.enum([...lifecycleEventNames, 'session']);

/** `accepted`: 2xx. `refused`: any other answer. `repeated`: the same event had come before. */
export const deliveryOutcomeSchema = z.enum(['accepted', 'refused', 'repeated']);

/** One claim of a JWT. */
const deliveryClaimSchema = z.object({
  /** Its place, with dots, such as `client.client_id`. */
  name: z.string(),
  /** Null also if the value is masked. */
  value: z.union([z.string(), z.number(), z.boolean()]).nullable(),
  /** Why the value is not kept; left out: it is. `more`: claims behind this place are not kept. */
  masked: z.enum(['secret', 'personal', 'long', 'more']).optional(),
});

/** One delivery of an event, or one refused session, and what it was answered. */
const deliverySchema = z.object({
  id: z.string(),
  /** When it arrived. */
  at: pointInTime,
  event: deliveryEventSchema,
  /** The plug-in whose URL was called; '' for the only one. */
  plugin: z.string(),
  /** The installation that a verified event names. Null: none is known. */
  installationId: z.string().nullable(),
  /** The name that operators gave that installation; '': none. */
  name: z.string(),
  /** Of the issuer that the JWT names: its host, and its path if the installation is known; '' without one. */
  host: z.string(),
  /** Whether the signature was verified. If not, nothing proves host and claims. */
  isVerified: z.boolean(),
  /** The status of the answer. */
  status: z.int(),
  /** A reason of docs/errors.md. */
  reason: z.string().nullable(),
  isRepeat: z.boolean(),
  /** Null for a session. */
  durationMs: z.number().nullable(),
  /** How far the times of the JWT were off, for `expired` and `not_yet_valid`. */
  offBySeconds: z.int().nullable(),
  /** Of a refusal: an address; for a session only its network. Otherwise, and for viewers, ''. */
  sender: z.string(),
  /** As in the log and in the answer's header X-Request-Id. */
  requestId: z.string(),
});

/** `GET /admin/api/deliveries/:id`. */
export const deliveryDetailSchema = deliverySchema.extend({
  /** The body of the answer, as it was sent. Null for a session. */
  body: z.string().nullable(),
  /** Null for viewers, and if there were none that could be read. */
  claims: z.array(deliveryClaimSchema).nullable(),
});

const time = z.coerce.number().int().nonnegative().optional();
const text = withoutNul(z.string().trim().min(1).max(100)).optional();

/** The query of `GET /admin/api/deliveries`. */
export const deliveriesQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** `next` of the previous page. */
  after: z.string().max(200).optional(),
  /** `oldest`: the oldest first. */
  order: z.enum(['newest', 'oldest']).default('newest'),
  installationId: text,
  event: deliveryEventSchema.optional(),
  outcome: deliveryOutcomeSchema.optional(),
  /** A reason of docs/errors.md. */
  reason: text,
  /** From this time on. */
  since: time,
  /** Before this time. */
  until: time,
});

/** `GET /admin/api/deliveries`. */
export const deliveriesSchema = z.object({
  /** The server's clock. */
  now: pointInTime,
  deliveries: z.array(deliverySchema),
  next: z.string().nullable(),
});

export type DeliveryClaim = z.infer<typeof deliveryClaimSchema>;
export type DeliveryOutcome = z.infer<typeof deliveryOutcomeSchema>;
export type Delivery = z.infer<typeof deliverySchema>;
export type DeliveryDetail = z.infer<typeof deliveryDetailSchema>;
export type DeliveriesQuery = z.infer<typeof deliveriesQuerySchema>;
export type Deliveries = z.infer<typeof deliveriesSchema>;
