/**
 * What the platform sends and the specification does not name (Spec §2.2: "further fields may
 * exist"): for a log line or a metric, so that a change of the platform is seen before it hurts.
 * Names and types only, never a value; names are an outsider's, so they are cut and cleaned.
 */
import type { z } from 'zod';
import { jsonPointer } from './json/json-pointer.ts';
import { unknownMembers } from './json/unknown-members.ts';

export interface DriftEntry {
  /** RFC 6901, with `*` for the index of an array. */
  pointer: string;
  type: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';
}

const maxEntries = 20;
const maxNameLength = 64;

/**
 * Lists the members of a JSON value that `schema` does not know, each place once, at most 20.
 * Names longer than 64 characters are cut; characters that do not print become U+FFFD.
 */
export function describeDrift(schema: z.ZodType, value: unknown): DriftEntry[] {
  const entries = new Map<string, DriftEntry>();
  for (const member of unknownMembers(schema, value)) {
    const pointer = jsonPointer(member.path.map(cleanName));
    const entry = { pointer, type: typeOf(member.value) };
    entries.set(`${entry.type} ${pointer}`, entry);
    if (entries.size >= maxEntries) break;
  }
  return [...entries.values()];
}

function cleanName(name: string | number): string {
  if (typeof name === 'number') return '*';
  const printable = name.slice(0, maxNameLength).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD');
  return name.length > maxNameLength ? `${printable}…` : printable;
}

function typeOf(value: unknown): DriftEntry['type'] {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}
