import type { z } from 'zod';
import type { Explanation } from './manifest-problem.ts';

/** Adds a problem that has a code and a fix of its own to a schema's issues. */
export function refuse(
  context: z.RefinementCtx,
  path: (string | number)[],
  { message, ...params }: Explanation,
): void {
  context.addIssue({ code: 'custom', path, message, params });
}

/** The places of entries that repeat the key of an earlier one. */
export function indexesOfRepeats(keys: readonly string[]): number[] {
  const seen = new Set<string>();
  return keys.flatMap((key, index) => {
    if (seen.has(key)) return [index];
    seen.add(key);
    return [];
  });
}
