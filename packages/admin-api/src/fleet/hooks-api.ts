/** The API of the dashboard's page about hooks, under `/admin/api/hooks`. Points in time are epoch milliseconds. */
import { z } from 'zod';
import { pointInTime } from '../point-in-time.ts';
import { fleetInstallationSchema } from './fleet-api.ts';

/** A delivery that is not tried again before an operator replays or drops it. */
const parkedHookSchema = z.object({
  /** The `hookId` of the actions `replay-hook` and `drop-hook`. */
  id: z.string(),
  installation: fleetInstallationSchema.pick({
    id: true,
    name: true,
    host: true,
    tenantId: true,
    pluginId: true,
  }),
  /** The hook's name, such as `installed`. */
  hook: z.string(),
  attempts: z.int().nonnegative(),
  /** How often an operator has replayed it. */
  replays: z.int().nonnegative(),
  /** When the change happened that the hook is called for. */
  occurredAt: pointInTime,
  parkedAt: pointInTime,
  /** The hook's own text, at most 500 printable characters. Dowel's secrets print as `[secret]` in it. */
  lastError: z.string(),
});

/** The query of `GET /admin/api/hooks`. */
export const parkedHooksQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  /** `next` of the previous page. */
  after: z.string().max(4096).optional(),
});

/** `GET /admin/api/hooks`: the parked deliveries of all installations, the latest parked first. */
export const parkedHooksSchema = z.object({
  /** The server's clock. */
  now: pointInTime,
  deliveries: z.array(parkedHookSchema),
  /** Where the next page begins; null on the last one. */
  next: z.string().nullable(),
});

export type ParkedHookEntry = z.infer<typeof parkedHookSchema>;
export type ParkedHooksQuery = z.infer<typeof parkedHooksQuerySchema>;
