/**
 * A field of the form in which an editor configures a plug-in or one placed widget. The page gets its
 * value as `cfg.<key>`, so it reaches every viewer's browser.
 */
import { z } from 'zod';
import { identifier } from '../claims.ts';
import { refuse } from './refuse.ts';
import { translations } from './translations.ts';

/** The known types; others are kept, with a warning. */
export const configFieldTypes = ['text', 'number', 'checkbox', 'radio', 'select'] as const;

const keyForbidden = 'A key may not be __proto__.';

const optionValue = z.union([z.string(), z.number(), z.boolean()]);

/** The shape is not public, so an object may have any names. */
const option = z.union([
  optionValue,
  z.looseObject({
    value: optionValue.optional().meta({ description: 'What cfg.<key> becomes.' }),
    label: z.union([z.string(), translations('What an editor reads.')]).optional(),
    description: z.union([z.string(), translations('Shown beside the choice.')]).optional(),
  }),
]);

const fields = z.looseObject({
  key: identifier(256)
    .refine((key) => key !== '__proto__', keyForbidden)
    .meta({
      description: 'Name of the value: it arrives as cfg.<key>.',
      examples: ['city'],
      allOf: [{ not: { const: '__proto__' }, errorMessage: keyForbidden }],
    }),
  type: identifier(64).meta({
    description: `Kind of input: ${configFieldTypes.join(', ')}, …`,
    examples: ['text'],
  }),
  label: translations('Label of the input.'),
  placeholder: translations('Shown while the input is empty.').optional(),
  description: translations('Shown beside the input.').optional(),
  options: z
    .array(option)
    .min(1)
    .optional()
    .meta({
      description: 'The choices of select and radio.',
      examples: [[{ value: 'berlin', label: { en: 'Berlin' } }]],
    }),
  default: z.unknown().optional().meta({ description: 'The value until an editor changes it.' }),
  required: z.boolean().optional().meta({ description: 'Whether it must have a value.' }),
  minLength: z
    .int()
    .nonnegative()
    .optional()
    .meta({ description: 'The least length of a text, in characters.' }),
  maxLength: z
    .int()
    .positive()
    .optional()
    .meta({ description: 'The greatest length of a text, in characters.' }),
  pattern: z
    .string()
    .max(1000)
    .optional()
    .meta({ description: 'A regular expression that a text must match.', examples: ['^[A-Z]+$'] }),
});

type ConfigField = z.output<typeof fields>;

export const configField = fields
  .superRefine((field, context) => {
    if (isChoice(field) && !field.options) {
      refuse(context, [], {
        code: 'CONFIG_OPTIONS_MISSING',
        message: `A field of type ${field.type} has no options.`,
        fix: 'Add "options": [{"value": "a", "label": {"en": "A"}}].',
      });
    }
    if ((field.minLength ?? 0) > (field.maxLength ?? Number.POSITIVE_INFINITY)) {
      refuse(context, ['minLength'], {
        code: 'CONFIG_LENGTHS_CROSSED',
        message: 'minLength is greater than maxLength, so no text is valid.',
        fix: 'Swap them, or remove one.',
      });
    }
    if (!compiles(field.pattern)) {
      refuse(context, ['pattern'], {
        code: 'CONFIG_PATTERN_INVALID',
        message: 'The pattern is not a valid regular expression.',
        fix: 'Close its brackets, and write each backslash twice in JSON.',
      });
    }
    const unfit = whyDefaultIsUnfit(field);
    if (unfit) {
      refuse(context, ['default'], {
        code: 'CONFIG_DEFAULT_UNFIT',
        message: `The default ${unfit}.`,
        fix: 'Change it to a value that an editor could enter, or remove it.',
      });
    }
  })
  .meta({
    description: 'One field of the configuration form. Its value reaches every viewer: no secrets.',
    anyOf: [
      {
        properties: {
          type: {
            not: { enum: ['select', 'radio'] },
            errorMessage: 'A field of this type needs "options".',
          },
        },
      },
      { required: ['options'] },
    ],
  });

function isChoice({ type }: ConfigField): boolean {
  return type === 'select' || type === 'radio';
}

function compiles(pattern: string | undefined): boolean {
  try {
    return pattern === undefined || new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

/** The pattern is not run: a pattern that never ends would stop the reader. */
function whyDefaultIsUnfit(field: ConfigField): string | undefined {
  const { type, default: value, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = field;
  if (value === undefined || value === null) return undefined;
  if (type === 'number') return typeof value === 'number' ? undefined : 'is not a number';
  if (type === 'checkbox') return typeof value === 'boolean' ? undefined : 'is not true or false';
  if (isChoice(field)) return isOption(field, value) ? undefined : 'is not among the options';
  if (type !== 'text') return undefined;
  if (typeof value !== 'string') return 'is not a text';
  const fits = value.length >= minLength && value.length <= maxLength;
  return fits ? undefined : 'is shorter than minLength or longer than maxLength';
}

function isOption({ options = [] }: ConfigField, value: unknown): boolean {
  const values = options.map((each) => (typeof each === 'object' ? each.value : each));
  // An option without "value" has a name for it that we do not know.
  return (
    options.length === 0 || values.includes(undefined) || values.some((each) => each === value)
  );
}
