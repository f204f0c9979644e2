import { z } from 'zod';
import { config } from './config.ts';
import { manifestUrl } from './manifest-url.ts';
import { indexesOfRepeats, refuse } from './refuse.ts';
import { translations } from './translations.ts';

const permission = z.string().max(4096);
const configAmbiguous = 'An entry point has either "config" or "configUrl", not both.';

const entryPoint = z
  .looseObject({
    id: z.guid('This is not a UUID.').meta({
      description: 'Identifies the entry point: a UUID of its own that never changes.',
      examples: ['6f1c4b1e-6f0b-4c39-9a3e-2f3a4ad0c0de'],
    }),
    url: manifestUrl('The page that the platform opens in an iframe.', 'plugin/'),
    name: translations('What an editor reads when choosing a widget.'),
    description: translations('What the widget does.'),
    config: config.optional(),
    configUrl: manifestUrl('A page of your own in place of "config".', 'config/').optional(),
    height: z
      .union([
        z.number().positive().meta({
          errorMessage: 'This is neither a number of CSS pixels nor a ratio such as "16:9".',
        }),
        z
          .string()
          .max(64)
          .regex(/^[1-9]\d*:[1-9]\d*$/, 'This is not a ratio such as 16:9.')
          .meta({ description: 'Width and height, with a colon.' }),
      ])
      .optional()
      .meta({
        description: 'Height of the iframe until the page sets it: CSS pixels, or a ratio.',
        examples: [400, '16:9'],
      }),
    // Its public description has names, such as camera, and no form.
    permissionsPolicy: z
      .union([permission, z.array(permission)])
      .optional()
      .meta({ description: "The iframe's permissions.", examples: ['fullscreen', ['camera']] }),
  })
  .superRefine((entry, context) => {
    if (entry.config === undefined || entry.configUrl === undefined) return;
    refuse(context, ['configUrl'], {
      code: 'ENTRY_POINT_CONFIG_AMBIGUOUS',
      message: configAmbiguous,
      fix: 'Remove one of the two.',
    });
  })
  .meta({
    description: 'A widget or page of the plug-in.',
    allOf: [
      {
        not: { type: 'object', required: ['config', 'configUrl'] },
        errorMessage: configAmbiguous,
      },
    ],
  });

export const entryPoints = z
  .array(entryPoint)
  .min(1)
  .superRefine((entries, context) => {
    for (const index of indexesOfRepeats(entries.map(({ id }) => id.toLowerCase()))) {
      refuse(context, [index, 'id'], {
        code: 'ENTRY_POINT_ID_DUPLICATE',
        message: 'Another entry point already has this id.',
        fix: 'Make a new UUID for one of them.',
      });
    }
  })
  .meta({ description: 'What the plug-in shows: at least one.' });
