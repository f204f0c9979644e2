/**
 * Payloads of the events that the platform posts to a plug-in's back end (Spec §2.2, §6). Wire names
 * are verbatim. Unknown claims are kept (describe-drift.ts). The parser wraps secrets. Other spellings that a platform may
 * use are turned into these shapes before (normalize-event.ts).
 *
 * The specification shows only the access_token event; the others are from the platform's OpenAPI
 * document. An update has no event of its own: the back end receives an access_token event without an
 * install before it, when the new manifest has apiAccess and the old one did not (Spec §3).
 */
import { z } from 'zod';
import { identifier, issuer, numericDate, secretBody, secretText, uuid } from './claims.ts';
import { withoutPrototypeMembers } from './without-prototype-members.ts';

/** Spec §6; each is the last segment of the URL that it is posted to (Spec §4.1). */
export const lifecycleEventNames = [
  'install',
  'uninstall',
  'instance_add',
  'instance_remove',
  'access_token',
] as const;

export type LifecycleEventName = (typeof lifecycleEventNames)[number];

/** Checked by the code that joins it, so that the refusal can say which address is wrong (Spec §2.2). */
const address = z.string().min(1).max(2048);

/** Claims of every event (RFC 7519 §4.1; Spec §2.2). */
const eventClaims = {
  iss: issuer.describe('The tenant: its URL.'),
  iat: numericDate.describe('When the event was signed, in seconds since the epoch.'),
  exp: numericDate.describe('When it expires, in seconds since the epoch.'),
  jti: identifier(256)
    .optional()
    .describe('Token identifier. Missing on some events, and not always a UUID.'),
  tenantId: uuid.describe('Tenant identifier.'),
  pluginId: uuid.describe('Plug-in identifier; names an installation together with tenantId.'),
};

const instanceId = identifier(256).describe('The placed widget; the "src" of its page.');

/** Spec §6: sent on installation, before access_token. */
export const installEventSchema = withoutPrototypeMembers(
  z.looseObject({
    ...eventClaims,
    sub: z.literal('install').describe("The event's name."),
    certificate: z
      .unknown()
      .optional()
      .describe('Deprecated one-line PEM. Any type, because it is not used.'),
  }),
);

/** Spec §3, §6: also sent right after a failed installation. */
const uninstallEventSchema = withoutPrototypeMembers(
  z.looseObject({ ...eventClaims, sub: z.literal('uninstall').describe("The event's name.") }),
);

const instanceAddEventSchema = withoutPrototypeMembers(
  z.looseObject({
    ...eventClaims,
    sub: z.literal('instance_add').describe("The event's name."),
    instanceId,
  }),
);

const instanceRemoveEventSchema = withoutPrototypeMembers(
  z.looseObject({
    ...eventClaims,
    sub: z.literal('instance_remove').describe("The event's name."),
    instanceId,
  }),
);

/** Spec §2.2. Without it, the tenant's tokens cannot be renewed once their refresh token is dead. */
export const triggerEventSchema = z
  .looseObject({
    url: address.describe('Path that is called to trigger, relative to base_url.'),
    method: z.literal('POST').describe('HTTP method to use.'),
    body: secretBody
      .optional()
      .describe('JSON text with one property, "token"; sent back verbatim (Spec §4.3).'),
  })
  .describe('The request that triggers a new access_token event.');

const client = z
  .looseObject({
    client_id: identifier(2048).describe('OAuth 2 client identifier.'),
    client_secret: secretText.describe('OAuth 2 client secret.'),
    authorization_code: secretText.describe('One-time code for the authorization_code grant.'),
    token_endpoint_url: address.describe('Path of the token endpoint, relative to base_url.'),
    trigger_event: triggerEventSchema.optional(),
  })
  .describe('What the plug-in needs to get an access token.');

/** Spec §2.2. */
export const accessTokenEventSchema = withoutPrototypeMembers(
  z.looseObject({
    ...eventClaims,
    sub: z.literal('access_token').describe("The event's name."),
    base_url: address.describe('Base address of the tenant.'),
    client,
  }),
);

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
/** An access_token event on the wire, before its secrets are wrapped. */
export type AccessTokenEventPayload = z.input<typeof accessTokenEventSchema>;

/** The answer to an event: 201 with any JSON, or a refusal (platform's OpenAPI 1.1.0). */
export const refusalSchema = z.object({
  code: z.number().int().min(100).max(599),
  message: z.string().max(200),
});
export type Refusal = z.infer<typeof refusalSchema>;
