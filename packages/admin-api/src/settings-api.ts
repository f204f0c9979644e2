/**
 * The API of the dashboard's page about the settings. Values are texts without secrets. For a secret, only the
 * fact that it is set is shown, and a fingerprint if it cannot be guessed.
 */
import { z } from 'zod';
import { pointInTime } from './point-in-time.ts';

export const settingGroupSchema = z.enum([
  'server',
  'events',
  'platform',
  'sessions',
  'signIn',
  'hooks',
  'alerts',
  'limits',
  'storage',
]);

/** What is special about a value. */
const settingNoteSchema = z.enum([
  /** The program did not call `start()`: a host framework listens, and its own settings count. */
  'hostListens',
  /** Every connection comes from the proxy, so the limit is off. */
  'behindProxy',
  /** The program has its own log. */
  'ownLog',
  /** The value comes from the manifest. */
  'fromManifest',
  /** It has no effect with this database. */
  'otherDatabase',
  /** Empty: everything is accepted. */
  'any',
  /** The password of the value is left out. */
  'withPassword',
  /** The path of the URL is left out: it may be a secret. */
  'withoutPath',
]);

/** One setting with the value that is in effect. */
const settingSchema = z.object({
  /** The environment variable; for what only a program can set, the option of `createServer`. */
  name: z.string(),
  /** The name for people. */
  label: z.object({ en: z.string(), de: z.string() }),
  group: settingGroupSchema,
  /** The option of `createServer` that has the same meaning. */
  option: z.string().nullable(),
  /** Empty if nothing is set, and always for a secret. With a unit each is a number. */
  values: z.array(z.string()),
  unit: z.enum(['count', 'ms', 's', 'minutes', 'days', 'percent', 'perMinute']).nullable(),
  /** Null: it is no secret, or it is not set. The fingerprint is null for a secret that somebody could guess. */
  secret: z.object({ fingerprint: z.string().nullable() }).nullable(),
  /** Where the value comes from: an option of the program, the environment (or `.env`), or the default. */
  source: z.enum(['option', 'environment', 'default']),
  note: settingNoteSchema.nullable(),
});

/** `GET /admin/api/settings`, for operators and owners. */
export const settingsSchema = z.object({
  /** The server's clock. */
  now: pointInTime,
  settings: z.array(settingSchema),
  versions: z.object({
    dowel: z.string(),
    node: z.string(),
    /** Such as `linux x64`. */
    system: z.string(),
    database: z.object({
      engine: z.string(),
      version: z.string(),
      migration: z.string(),
      /** Why a failover may lose committed changes. */
      risk: z.enum(['commit_level', 'asynchronous_standby']).nullable(),
    }),
    plugins: z.array(
      z.object({
        name: z.string(),
        version: z.string(),
        /** The page that describes its operations, as a path of this server. */
        reference: z.string(),
      }),
    ),
  }),
  /** Whether missing safety is an error at the start: `NODE_ENV=production`. */
  isProduction: z.boolean(),
  process: z.object({ pid: z.int(), startedAt: pointInTime }),
});

export type Setting = z.infer<typeof settingSchema>;
export type SettingGroup = z.infer<typeof settingGroupSchema>;
export type SettingNote = z.infer<typeof settingNoteSchema>;
export type Settings = z.infer<typeof settingsSchema>;
