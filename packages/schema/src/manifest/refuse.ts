import type { z } from 'zod';
import type { Explanation } from './manifest-problem.ts';

/** Adds a problem with its own code and fix to a schema's issues. */
export function refuse(
  context: z.RefinementCtx,
  path: (string | number)[],
  { message, ...params }: Explanation,
): void {
  context.addIssue({ code: 'custom', path, message, params });
}

/** The indexes of entries that repeat an earlier key. */
export function indexesOfRepeats(keys: readonly string[]): number[] {
  const seen = new Set<string>();
  return keys.flatMap((key, index) => {
    if (seen.has(key)) return [index];
    seen.add(key);
    return [];
  });
}
