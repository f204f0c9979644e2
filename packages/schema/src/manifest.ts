/** A plug-in's `manifest.json`: what the platform reads to install it (Spec §2.1). */
import { z } from 'zod';
import { lifecycleEventNames } from './lifecycle-events.ts';

/** Language → text. */
const translations = z
  .record(z.string(), z.string().min(1))
  .describe('Texts by language, for example {"en": "Lunch menu"}.');

const url = z
  .string()
  .min(1)
  .max(2048)
  .describe("Absolute, or relative to the manifest's own URL.");

const configField = z.looseObject({
  key: z.string().min(1),
  type: z.string().min(1).describe('text, number, checkbox, radio, select, …'),
  label: translations,
  placeholder: translations.optional(),
  description: translations.optional(),
  options: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  required: z.boolean().optional(),
  minLength: z.int().nonnegative().optional(),
  maxLength: z.int().positive().optional(),
  pattern: z.string().optional(),
});

const entryPoint = z.looseObject({
  id: z.guid(),
  url,
  name: translations,
  description: translations,
  config: z.array(configField).optional(),
  configUrl: url.optional(),
  height: z.number().positive().optional(),
  permissionsPolicy: z.string().optional(),
});

/** Asks for access to the platform's API (Spec §2.1). */
export const apiAccessSchema = z.looseObject({
  url: url.describe('Base URL that the access_token event is sent to.'),
  client: z.looseObject({
    mode: z.array(z.literal('authorization_code')).min(1),
    scope: z.array(z.literal('plugin:notify')).min(1),
  }),
});

export const manifestSchema = z
  .looseObject({
    $schema: z.string().optional(),
    manifestVersion: z.string().regex(/^\d+\.\d+\.\d+$/),
    pluginVersion: z.string().regex(/^\d+\.\d+\.\d+(?:[-+].+)?$/),
    coyoVersion: z.string().optional(),
    name: translations,
    description: translations,
    thumbnail: url.optional(),
    context: z
      .array(z.string())
      .optional()
      .describe('Claims for the iframe, for example userName → ctx.userName.'),
    config: z.array(configField).optional(),
    lifecycle: z
      .looseObject({
        url: url.describe("Base URL; the event's name is appended."),
        events: z
          .array(z.enum(lifecycleEventNames).exclude(['access_token']))
          .describe('access_token is never listed: apiAccess asks for it.'),
      })
      .optional(),
    apiAccess: apiAccessSchema.optional(),
    entryPoints: z.array(entryPoint).min(1),
  })
  .meta({ title: 'Plug-in manifest' });

export type Manifest = z.infer<typeof manifestSchema>;
export type ApiAccess = z.infer<typeof apiAccessSchema>;
