/** Finds parts of a zod schema by the names of members, as a JSON pointer does in a value. */
import { z } from 'zod';

type Schema = z.core.$ZodType;

/** The schema inside optional, default, preprocess and transform. */
export function innerSchema(schema: Schema): Schema {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return innerSchema(schema.unwrap());
  }
  if (!(schema instanceof z.ZodPipe)) return schema;
  return innerSchema(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
}

/** The schema of a member or item; undefined when `schema` does not know it. */
export function memberSchema(schema: Schema, name: string | number): Schema | undefined {
  const inner = innerSchema(schema);
  if (inner instanceof z.ZodArray) return inner.element;
  if (inner instanceof z.ZodRecord) return inner.valueType;
  if (inner instanceof z.ZodUnion) return firstDefined(inner.options, name);
  if (!(inner instanceof z.ZodObject)) return undefined;
  if (Object.hasOwn(inner.shape, name)) return inner.shape[name];
  return isKnownByPattern(inner, String(name)) ? z.unknown() : undefined;
}

/** Whether the schema names this member itself. A record and a pattern know names that the value has chosen. */
export function namesMember(schema: Schema, name: string): boolean {
  const inner = innerSchema(schema);
  if (inner instanceof z.ZodUnion) return inner.options.some((option) => namesMember(option, name));
  return inner instanceof z.ZodObject && Object.hasOwn(inner.shape, name);
}

/** The names that the schema lists itself; those of all its alternatives. */
export function memberNames(schema: Schema): string[] {
  const inner = innerSchema(schema);
  if (inner instanceof z.ZodUnion) return inner.options.flatMap(memberNames);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** Whether the schema lists its members, so that other members are unknown. */
export function listsMembers(schema: Schema): boolean {
  const inner = innerSchema(schema);
  return inner instanceof z.ZodUnion
    ? inner.options.some(listsMembers)
    : inner instanceof z.ZodObject;
}

function firstDefined(options: readonly Schema[], name: string | number): Schema | undefined {
  for (const option of options) {
    const found = memberSchema(option, name);
    if (found) return found;
  }
  return undefined;
}

/** The JSON Schema keyword is in the metadata, because zod has none for it. */
function isKnownByPattern(schema: z.ZodObject, name: string): boolean {
  const patterns = Object.keys(schema.meta()?.patternProperties ?? {});
  return patterns.some((pattern) => new RegExp(pattern, 'u').test(name));
}
