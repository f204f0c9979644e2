/**
 * Our own sentence for each kind of zod issue, so that people never see zod's. Pass it to the parser:
 * `schema.safeParse(value, { error: plainWords })`. A schema's own message has priority.
 */
import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;
type IssueOf<Code extends RawIssue['code']> = Extract<RawIssue, { code: Code }>;

const formats: Record<string, string> = {
  email: 'This is not an e-mail address',
  url: 'This is not a URL',
  uuid: 'This is not a UUID',
  guid: 'This is not a UUID',
};

/** A sentence never repeats a value. It has no full stop, because it may follow a field's name. */
export function plainWords(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue);
    case 'too_small':
      return describeTooSmall(issue);
    case 'too_big':
      return describeTooBig(issue);
    case 'invalid_format':
      return formats[issue.format] ?? 'This does not have the expected form';
    case 'not_multiple_of':
      return `This is not a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return describeUnknownNames(issue.keys);
    case 'invalid_union':
      return 'This is not of an expected kind';
    case 'invalid_key':
      return 'A name in it is not of the form that is expected';
    case 'invalid_element':
      return 'An entry does not have the expected form';
    case 'invalid_value':
      return `Expected ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'custom':
      return 'This is not allowed';
  }
}

/** One line: the field, and what is wrong with it. */
export function describeIssue({
  path,
  message,
}: Pick<z.core.$ZodIssue, 'path' | 'message'>): string {
  return path.length > 0 ? `${path.join('.')}: ${message}` : message;
}

/** The name of a JSON value's type: `an array`, `null`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (isTooLarge(value)) return 'a number that is too large';
  return nameOfType(Array.isArray(value) ? 'array' : typeof value);
}

/** The name of a zod or JavaScript type. */
export function nameOfType(type: string): string {
  const names: Record<string, string> = { record: 'object', int: 'integer' };
  const name = names[type] ?? type;
  if (name === 'null' || name === 'undefined') return name;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

function describeType({ expected, input }: IssueOf<'invalid_type'>): string {
  if (input === undefined) return 'This is missing';
  if (isTooLarge(input) && ['number', 'int'].includes(expected)) return 'This number is too large';
  if (Number.isNaN(input)) return 'This is not a number';
  if (typeof input === 'number' && expected === 'int') return 'This is not a whole number';
  return `Expected ${nameOfType(expected)}, found ${kindOf(input)}`;
}

/** Readers of JSON read 1e999 as Infinity. */
function isTooLarge(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

function describeTooSmall({ origin, minimum, inclusive }: IssueOf<'too_small'>): string {
  const unit = unitOf(origin);
  if (unit) return minimum === 1 ? 'This is empty' : `This has fewer than ${minimum} ${unit}`;
  return `This is less than ${inclusive === false ? 'or equal to ' : ''}${minimum}`;
}

function describeTooBig({ origin, maximum, inclusive }: IssueOf<'too_big'>): string {
  const unit = unitOf(origin);
  if (unit) return `This has more than ${maximum} ${unit}`;
  return `This is more than ${inclusive === false ? 'or equal to ' : ''}${maximum}`;
}

function unitOf(origin: string): string | undefined {
  if (origin === 'string') return 'characters';
  return ['array', 'set', 'map', 'object', 'record'].includes(origin) ? 'entries' : undefined;
}

/** The first three names, each shortened. */
function describeUnknownNames(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name.slice(0, 40)));
  return `There is no field ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`;
}
