import { z } from 'zod';
import { configField } from './config-field.ts';
import { indexesOfRepeats, refuse } from './refuse.ts';

/** A configuration form: each field has its own key. */
export const config = z
  .array(configField)
  .superRefine((fields, context) => {
    for (const index of indexesOfRepeats(fields.map(({ key }) => key))) {
      refuse(context, [index, 'key'], {
        code: 'CONFIG_KEY_DUPLICATE',
        message: 'Another field already has this key.',
        fix: 'Give each field its own key.',
      });
    }
  })
  .meta({ description: 'The configuration form.' });
