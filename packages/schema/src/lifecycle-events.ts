/**
 * Payloads of the events that the platform posts to a plug-in's back end (Spec §2.2, §6).
 * Wire names are verbatim; unknown claims are kept. Secrets leave the parser wrapped.
 */
import { z } from 'zod';
import { Secret } from './secret.ts';

export const lifecycleEventNames = [
  'install',
  'uninstall',
  'instance_add',
  'instance_remove',
  'access_token',
] as const;

export type LifecycleEventName = (typeof lifecycleEventNames)[number];

const text = z.string().min(1).max(2048);
const secretText = z
  .string()
  .min(1)
  .max(16_384)
  .transform((value) => new Secret(value));
/** Canonical lower case, so that spellings of one UUID name one installation. */
const uuid = z.guid().toLowerCase();

/** Claims of every event. `iat` and `exp` are seconds since the epoch (RFC 7519 §4.1). */
const eventClaims = {
  iss: z.url({ protocol: /^https?$/ }).max(2048),
  iat: z.number().int().nonnegative(),
  exp: z.number().int().nonnegative(),
  /** Missing on some events, and not always a UUID. */
  jti: z.string().max(256).optional(),
  tenantId: uuid,
  /** Names the installation, together with `tenantId`. */
  pluginId: uuid,
};

export const installEventSchema = z.looseObject({ ...eventClaims, sub: z.literal('install') });

export const uninstallEventSchema = z.looseObject({ ...eventClaims, sub: z.literal('uninstall') });

export const instanceAddEventSchema = z.looseObject({
  ...eventClaims,
  sub: z.literal('instance_add'),
  instanceId: text,
});

export const instanceRemoveEventSchema = z.looseObject({
  ...eventClaims,
  sub: z.literal('instance_remove'),
  instanceId: text,
});

/** Spec §2.2. */
export const accessTokenEventSchema = z.looseObject({
  ...eventClaims,
  sub: z.literal('access_token'),
  base_url: text,
  client: z.looseObject({
    client_id: text,
    client_secret: secretText,
    authorization_code: secretText,
    token_endpoint_url: text,
    /** Absent: the tenant's tokens cannot be renewed once their refresh token is dead. */
    trigger_event: z
      .looseObject({
        url: text,
        method: z.literal('POST'),
        /** JSON text, sent back verbatim (Spec §4.3). */
        body: secretText.optional(),
      })
      .optional(),
  }),
});

export const lifecycleEventSchemas = {
  install: installEventSchema,
  uninstall: uninstallEventSchema,
  instance_add: instanceAddEventSchema,
  instance_remove: instanceRemoveEventSchema,
  access_token: accessTokenEventSchema,
} as const satisfies Record<LifecycleEventName, z.ZodType>;

export type InstallEvent = z.output<typeof installEventSchema>;
export type UninstallEvent = z.output<typeof uninstallEventSchema>;
export type InstanceAddEvent = z.output<typeof instanceAddEventSchema>;
export type InstanceRemoveEvent = z.output<typeof instanceRemoveEventSchema>;
export type AccessTokenEvent = z.output<typeof accessTokenEventSchema>;
export type LifecycleEvent =
  | InstallEvent
  | UninstallEvent
  | InstanceAddEvent
  | InstanceRemoveEvent
  | AccessTokenEvent;
/** An access_token event as it travels, before its secrets are wrapped. */
export type AccessTokenEventPayload = z.input<typeof accessTokenEventSchema>;

/** The answer to an event: 201 with any JSON, or a refusal (platform's OpenAPI 1.1.0). */
export const refusalSchema = z.object({
  code: z.number().int().min(100).max(599),
  message: z.string().max(200),
});
export type Refusal = z.infer<typeof refusalSchema>;
