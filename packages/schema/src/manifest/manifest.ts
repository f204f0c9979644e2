/** A plug-in's `manifest.json`: what the platform reads to install it (Spec §2.1). */
import { z } from 'zod';
import { identifier } from '../claims.ts';
import { lifecycleEventNames } from '../lifecycle-events.ts';
import { config } from './config.ts';
import { entryPoints } from './entry-point.ts';
import { manifestUrl } from './manifest-url.ts';
import { indexesOfRepeats, refuse } from './refuse.ts';
import { translations } from './translations.ts';

/** Known versions of the manifest's schema. */
export const manifestVersions = ['0.7.0', '2.0.0', '2.2.0', '2.3.0', '2.4.0', '2.5.0'] as const;

/** As https://semver.org writes it. */
const semver =
  /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

const lifecycle = z
  .looseObject({
    url: manifestUrl("Base URL; the event's name is appended.", 'lifecycle/'),
    events: z.array(z.enum(lifecycleEventNames).exclude(['access_token'])).meta({
      description: 'Events to send. access_token is never listed: apiAccess requests it.',
      examples: [['install', 'uninstall', 'instance_add', 'instance_remove']],
    }),
  })
  .meta({ description: 'Requests events about installations and placed widgets.' });

/** A repeated entry is probably a mistake for another one (Spec §2.1). */
function refuseRepeats(entries: readonly string[], context: z.RefinementCtx): void {
  for (const index of indexesOfRepeats(entries)) {
    refuse(context, [index], {
      code: 'API_ACCESS_ENTRY_DUPLICATE',
      message: 'This entry is already in the list.',
      fix: 'Remove it.',
    });
  }
}

/** Requests access to the platform's API (Spec §2.1). */
const apiAccessSchema = z
  .looseObject({
    url: manifestUrl('Base URL that the access_token event is sent to.', 'lifecycle/'),
    client: z
      .looseObject({
        mode: z
          .array(z.literal('authorization_code'))
          .min(1)
          .superRefine(refuseRepeats)
          .meta({
            description: 'Requested authorisation modes.',
            uniqueItems: true,
            examples: [['authorization_code']],
          }),
        scope: z
          .array(z.literal('plugin:notify'))
          .min(1)
          .superRefine(refuseRepeats)
          .meta({
            description: 'Requested scopes.',
            uniqueItems: true,
            examples: [['plugin:notify']],
          }),
      })
      .meta({ description: 'Client-based access.' }),
  })
  .meta({ description: "Requests access to the platform's API. Needs manifestVersion 2.5.0." });

export const manifestSchema = z.looseObject({
  $schema: z.string().optional().meta({ description: 'For editors; the platform ignores it.' }),
  manifestVersion: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/, 'This is not three numbers with dots.')
    .meta({ description: "Version of the manifest's schema.", examples: ['2.5.0'] }),
  pluginVersion: z
    .string()
    .max(256)
    .regex(semver, 'This is not a semantic version.')
    .meta({ description: 'Semantic version of the plug-in.', examples: ['1.0.0'] }),
  coyoVersion: z
    .string()
    .max(256)
    .optional()
    .meta({ description: 'Versions of the platform that the plug-in works with.' }),
  name: translations('Name of the plug-in.'),
  description: translations('What the plug-in does.'),
  thumbnail: manifestUrl('A picture for the catalogue.', 'thumbnail.png').optional(),
  context: z
    .array(identifier(128).meta({ description: 'The name of a property of the user.' }))
    .optional()
    .meta({
      description: "What the page learns of its user: 'userName' arrives as ctx.userName.",
      examples: [['userName', 'userLanguage']],
    }),
  config: config.optional(),
  lifecycle: lifecycle.optional(),
  apiAccess: apiAccessSchema.optional(),
  entryPoints,
});

export type Manifest = z.infer<typeof manifestSchema>;
