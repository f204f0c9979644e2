/**
 * Claims of the JWTs that the platform's page sends to the plug-in's iframe. Names are flat, with
 * dots. The manifest's `context` requests the `ctx.*` claims; `cfg.*` are the fields of its `config`.
 * The specification does not show them: docs/decisions/0007-event-shapes.md.
 */
import { z } from 'zod';
import { identifier, issuer, numericDate, uuid } from './claims.ts';
import { withoutPrototypeMembers } from './without-prototype-members.ts';

/** About the user, for the page alone. Nothing here reads it, so it may be empty, and of any length. */
const forThePage = z.string().nullish();

const pageClaims = {
  iss: issuer.describe('The tenant: its URL.'),
  jti: identifier(256).describe('The nonce of the message and its answer.'),
  iat: numericDate.describe('When it was signed, in seconds since the epoch.'),
  exp: numericDate.describe('When it expires, in seconds since the epoch.'),
  'ctx.userId': identifier(256).describe('The user who looks at the page.'),
  'ctx.userName': forThePage.describe("The user's display name."),
  'ctx.userEmail': forThePage.describe("The user's e-mail address."),
  'ctx.userLanguage': forThePage.describe('Such as "en" (BCP 47).'),
};

/** Claims with a known prefix: each plug-in names its own configuration fields. */
const ownNames = { patternProperties: { '^cfg\\.': {} } };

/** The answer to the iframe's `init`. It opens a session at the BFF. */
export const initClaimsSchema = withoutPrototypeMembers(
  z
    .looseObject({
      ...pageClaims,
      sub: z.literal('init').describe('What the JWT is for.'),
      'ctx.tenantId': uuid.describe('Tenant identifier.'),
      'stt.edit': z.unknown().optional().describe('Whether the page is being edited.'),
    })
    .meta(ownNames),
);

/** The platform asks the configuration page for the values to save. */
export const saveClaimsSchema = withoutPrototypeMembers(
  z
    .looseObject({
      ...pageClaims,
      sub: z.literal('save').describe('What the JWT is for.'),
      'ctx.tenantId': uuid.optional().describe('Tenant identifier.'),
      'stt.edit': z.unknown().optional().describe('Whether the page is being edited.'),
    })
    .meta(ownNames),
);

export type InitClaims = z.infer<typeof initClaimsSchema>;
export type SaveClaims = z.infer<typeof saveClaimsSchema>;
