/**
 * Members that the platform sends and the specification does not name (Spec §2.2: "further fields may
 * exist"): for a log line, so that a change of the platform is noticed early. Only places and types are
 * reported. An unknown name may itself be a secret, so it is wrapped as one.
 */
import type { z } from 'zod';
import { jsonPointer } from './json/json-pointer.ts';
import { unknownMembers } from './json/unknown-members.ts';
import { Secret } from './secret.ts';

export interface DriftEntry {
  /** RFC 6901, with `?` for the unknown name and `*` for the index of an array. */
  pointer: string;
  /** The unknown name. Never log it or store it in clear. */
  name: Secret;
  type: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';
}

const maxEntries = 20;

/** Lists the members of a JSON value that `schema` does not know, each place once, at most 20. */
export function describeDrift(schema: z.ZodType, value: unknown): DriftEntry[] {
  const entries = new Map<string, DriftEntry>();
  for (const { path, value: member } of unknownMembers(schema, value)) {
    const name = String(path.at(-1));
    const places = path.slice(0, -1).map((part) => (typeof part === 'number' ? '*' : part));
    const pointer = jsonPointer([...places, '?']);
    const type = typeOf(member);
    entries.set(`${type} ${pointer} ${name}`, { pointer, name: new Secret(name), type });
    if (entries.size >= maxEntries) break;
  }
  return [...entries.values()];
}

function typeOf(value: unknown): DriftEntry['type'] {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}
