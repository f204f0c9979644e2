import { z } from 'zod';
import { configField } from './config-field.ts';
import { indexesOfRepeats, refuse } from './refuse.ts';

/** A configuration form: fields with different keys. */
export const config = z
  .array(configField)
  .superRefine((fields, context) => {
    for (const index of indexesOfRepeats(fields.map(({ key }) => key))) {
      refuse(context, [index, 'key'], {
        code: 'CONFIG_KEY_DUPLICATE',
        message: 'Another field has this key already.',
        fix: 'Give each field a key of its own.',
      });
    }
  })
  .meta({ description: 'The configuration form.' });
