/** The form of a row in the table of settings, and the types that follow from the rows. */
import type { Setting, SettingGroup } from '@dowel/admin-api';
import type { z } from 'zod';

export interface SettingRow {
  /** The option of `createServer`. Dots lead into objects. The value in effect has the same place in the configuration. */
  option: string;
  /** Reads the text of the variable. An option is written as such a text first, unless `fromOption` takes it. */
  schema: z.ZodType;
  group: SettingGroup;
  /** The name on the dashboard. */
  label: { en: string; de: string };
  /** What it is for: the comment in `.env.example`. */
  text: string;
  /** The value in `.env.example`. */
  example: string;
  /** The unit of the variable. */
  unit?: Setting['unit'];
  /** The option is in milliseconds, and a whole number of these. */
  unitMs?: number;
  /** The smallest and the largest value of the variable. */
  range?: { min: number; max: number };
  /** The values of the variable, if they are words. */
  choices?: readonly string[];
  /** The option is an array of strings; the variable separates them by commas. */
  isList?: boolean;
  /** The variable's text for an empty array. Default: the variable is not set. */
  emptyText?: string;
  /** `NAME_FILE` may name a file with the value. */
  isSecret?: boolean;
  /** Each plug-in has the option, and the variable is its default. */
  isOfPlugin?: boolean;
  /** Only `start()` uses it. */
  isOfStart?: boolean;
  /** Converts an option that no text can express. Undefined: the option is a text of the variable. */
  fromOption?: (given: never) => unknown;
}

/** Returns the row as it is. It has the exact types of its option and value. */
export const row = <const Option extends string, Schema extends z.ZodType>(
  given: SettingRow & { option: Option; schema: Schema },
) => given;

type At<Path extends string, Value> = Path extends `${infer Head}.${infer Tail}`
  ? { [Name in Head]: At<Tail, Value> }
  : { [Name in Path]: Value };
type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** An object with the value of each row, at the place of its option. */
export type ValuesOf<Rows extends Record<string, { option: string; schema: z.ZodType }>> =
  Intersection<
    { [Name in keyof Rows]: At<Rows[Name]['option'], z.output<Rows[Name]['schema']>> }[keyof Rows]
  >;
