/**
 * The emulator's own API under `/control`, for its pages and for tests: actions of a person on a real
 * platform, and actions that only an emulator has (move the clock, revoke tokens). It is not part of the
 * platform's protocol, and back ends of plug-ins never call it.
 *
 * `GET /control/openapi.json` describes it. Every failed answer is `{ code, message }`. Points in time are epoch milliseconds.
 */
import { lifecycleEventNames } from '@dowel/schema';
import { z } from 'zod';
import { rulesSchema } from './authorization-server/rules.ts';
import { exchangeKinds, exchangeSummarySchema } from './exchange-schema.ts';

export * from './people-schema.ts';

/**
 * `GET /control/exchanges` → every request in and out of the signed-in user's tenant, and for key documents, oldest
 * first, at most 200 of each kind. `?kind=` and `?pluginId=` select. `GET /control/exchanges/:id` → one with headers, bodies and answer;
 * secrets are masked, unless `?reveal=true`.
 */
export const exchangesSchema = z.object({ exchanges: z.array(exchangeSummarySchema) });

export const exchangeQuerySchema = z.strictObject({
  kind: z.enum(exchangeKinds).optional(),
  pluginId: z.string().optional(),
});

export const revealQuerySchema = z.strictObject({ reveal: z.stringbool().default(false) });

export * from './exchange-schema.ts';

/**
 * `POST /control/faults` → 201 with an {@link ActiveFault}, in the signed-in user's tenant: lets the next requests meet
 * it. `GET` → 200. `DELETE /control/faults/:id` → 204; `DELETE /control/faults` → 204, ends all.
 */
export * from './fault-schema.ts';

export const instanceSchema = z.object({
  instanceId: z.string(),
  /** Of the manifest. */
  entryPointId: z.string(),
  /** The `src` query parameter of its pages, which their messages name as `iss`. */
  src: z.string(),
  /** The entry point's URL with its `src`. */
  url: z.string(),
  /** The same for its configuration page; null when the manifest names none. */
  configUrl: z.string().nullable(),
  title: z.string(),
  /** The height that the manifest names: CSS pixels, or a ratio such as 16:9. */
  height: z.union([z.number(), z.string()]).nullable(),
});

export const installationSchema = z.object({
  pluginId: z.string(),
  manifestUrl: z.string(),
  name: z.string(),
  description: z.string(),
  pluginVersion: z.string(),
  /** Scopes that the manifest requests; empty without `apiAccess`. */
  requestedScopes: z.array(z.string()),
  installedAt: z.number(),
  entryPoints: z.array(z.object({ id: z.string(), name: z.string() })),
  instances: z.array(instanceSchema),
  /** Valid by the authorization server's clock. */
  tokens: z.object({ accessTokens: z.number(), refreshTokens: z.number() }),
});

/** `GET /control/plugins` of the signed-in user's tenant. */
export const pluginsSchema = z.object({ installations: z.array(installationSchema) });

/**
 * `POST /control/plugins` → 201 with the installation, or 422 with a {@link failureSchema}.
 * `POST /control/plugins/:pluginId/update` (reads the manifest again) → 200 or 422.
 * `DELETE /control/plugins/:pluginId` → 204.
 */
export const installSchema = z.strictObject({
  manifestUrl: z.url({ protocol: /^https?$/ }),
  /** Of an installation that has ended and begins again. Default: a random one. */
  pluginId: z.uuid().optional(),
});

export * from './update-schema.ts';

/** Why an installation or update failed, with the deliveries that led to it, oldest first. */
export const failureSchema = z.object({
  code: z.enum([
    'MANIFEST_UNREACHABLE',
    'MANIFEST_INVALID',
    'REFUSED',
    'INVALID_RESPONSE',
    'NO_RESPONSE',
  ]),
  message: z.string(),
  deliveries: z.array(exchangeSummarySchema),
});

/**
 * `POST /control/plugins/:pluginId/instances` → 201 with the instance: places a widget.
 * `DELETE /control/plugins/:pluginId/instances/:instanceId` → 204.
 */
export const addInstanceSchema = z.strictObject({ entryPointId: z.string() });

/** `POST /control/init` → 201 `{ initJwt }`: the signed answer to an iframe's init message. */
export const initRequestSchema = z.strictObject({
  instanceId: z.string(),
  jti: z.string().min(1).max(256),
});

export const initAnswerSchema = z.object({ initJwt: z.string().min(1) });

/**
 * `POST /control/save` → 201 `{ saveJwt, jti }`: the signed request to a configuration page, which
 * answers with this `jti`.
 */
export const saveRequestSchema = z.strictObject({ instanceId: z.string() });

export const saveAnswerSchema = z.object({ saveJwt: z.string().min(1), jti: z.string().min(1) });

/**
 * `PUT /control/plugins/:pluginId/instances/:instanceId/config` → 204: what the configuration page
 * answered, in place of what was stored. At most 64 KB; the init JWT carries it as `cfg.<name>`.
 */
export { instanceConfigSchema } from './instance-config.ts';

/**
 * `POST /control/plugins/:pluginId/revoke` → 204: access tokens answer 401, refresh tokens answer
 * invalid_grant from then on.
 */
export const revokeSchema = z.strictObject({ what: z.enum(['accessTokens', 'refreshTokens']) });

/**
 * `POST /control/plugins/:pluginId/events` → 201 with the exchange: sends an event, as the platform does if nothing else
 * is given. An access_token event needs no trigger (Spec §3).
 */
export const sendEventSchema = z.strictObject({
  event: z.enum(lifecycleEventNames),
  /** Of `instance_add` and `instance_remove`. Default: a random one. */
  instanceId: z.string().optional(),
  /** Replaces members of the header. */
  header: z.record(z.string(), z.unknown()).optional(),
  /** Replaces claims. */
  claims: z.record(z.string(), z.unknown()).optional(),
  /** Signs it. */
  key: z.enum(['own', 'next', 'stranger']).optional(),
  /** The event whose URL gets it. */
  to: z.enum(lifecycleEventNames).optional(),
  /** Sent in place of a signed JWT. */
  jwt: z.string().optional(),
});

/** `POST /control/exchanges/:id/resend` → 201 with the exchange: the event as it was, or signed again. */
export const resendSchema = z.strictObject({ signedAgain: z.boolean().default(false) });

/** What the public documents leave open, in the forms that this tenant's platform uses. */
export const wireFormsSchema = z.object({
  /** The `src` of a widget's pages: `<tenantId>_<instanceId>`, the instance's id, `<tenantId>_<pluginId>`, or a text. */
  src: z.enum(['composed', 'instance', 'plugin-id', 'opaque']),
  /** `other-host`: `base_url` names this platform by another host than `iss`. */
  baseUrl: z.enum(['issuer', 'other-host']),
  /** `uri`: the older spelling of `trigger_event`, with an absolute `uri` and without `method`. */
  trigger: z.enum(['path', 'uri']),
  /** Events and init JWTs have claims that no document names. */
  extraClaims: z.boolean(),
});

export const defaultForms: Readonly<z.infer<typeof wireFormsSchema>> = {
  src: 'composed',
  baseUrl: 'issuer',
  trigger: 'path',
  extraClaims: false,
};

/** `GET` and `PATCH /control/lab`: how the authorization server behaves. It is strict, unless somebody changes it. */
export const labSchema = z.object({
  /** How far the authorization server's clock is ahead of real time; events are signed at real time. */
  clockOffsetSeconds: z.number(),
  ...rulesSchema.shape,
  forms: wireFormsSchema,
});

const centurySeconds = 3_155_760_000;

export const labChangeSchema = z.strictObject({
  /** Sets the clock ahead of real time, or behind if negative. 0: real time. */
  clockOffsetSeconds: z.number().min(-centurySeconds).max(centurySeconds).optional(),
  /** Added to the clock's offset. */
  advanceSeconds: z.number().positive().max(centurySeconds).optional(),
  ...rulesSchema.partial().shape,
  forms: z.strictObject(wireFormsSchema.shape).partial().optional(),
});

export const receivedNotificationSchema = z.object({
  id: z.number(),
  pluginId: z.string(),
  pluginName: z.string(),
  instanceId: z.string(),
  message: z.string(),
  excerpt: z.string().nullable(),
  category: z.string(),
  receivedAt: z.number(),
});

/** `GET /control/notifications` of the signed-in user, newest first. */
export const notificationsSchema = z.object({ notifications: z.array(receivedNotificationSchema) });

/**
 * `GET /control/changes`: server-sent events for the signed-in user. `event: plugins`,
 * `event: exchanges`, `event: faults` and `event: notifications` (data `{}`) say what to load again.
 */

export type Instance = z.infer<typeof instanceSchema>;
export type Installation = z.infer<typeof installationSchema>;
export type Plugins = z.infer<typeof pluginsSchema>;
export type Failure = z.infer<typeof failureSchema>;
export type Lab = z.infer<typeof labSchema>;
export type WireForms = z.infer<typeof wireFormsSchema>;
export type LabChange = z.infer<typeof labChangeSchema>;
export type ReceivedNotification = z.infer<typeof receivedNotificationSchema>;
