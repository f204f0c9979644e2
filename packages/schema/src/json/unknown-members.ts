import type { z } from 'zod';
import type { JsonPath } from './json-pointer.ts';
import { listsMembers, memberSchema } from './schema-members.ts';

export interface UnknownMember {
  path: JsonPath;
  value: unknown;
  /** The object that has it, and the schema of that object. */
  parent: { value: object; schema: z.core.$ZodType };
}

/**
 * The members of a JSON value that its schema does not know, in the value's order. It goes no deeper
 * than the schema, so hostile depth costs nothing.
 */
export function* unknownMembers(
  schema: z.core.$ZodType,
  value: unknown,
  path: JsonPath = [],
): Generator<UnknownMember> {
  if (typeof value !== 'object' || value === null) return;
  const isArray = Array.isArray(value);
  for (const name of Object.keys(value)) {
    const key = isArray ? Number(name) : name;
    const member: unknown = Reflect.get(value, name);
    const known = memberSchema(schema, key);
    if (known) {
      if (typeof member === 'object') yield* unknownMembers(known, member, [...path, key]);
    } else if (!isArray && listsMembers(schema)) {
      yield { path: [...path, key], value: member, parent: { value, schema } };
    }
  }
}
