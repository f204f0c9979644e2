/**
 * The configuration of a placed widget, as its configuration page answered it. Each top-level member
 * becomes the claim `cfg.<name>` of the init JWT; a name that a page could not read back is refused
 * before it is stored, because with it the widget could never start.
 */
import { z } from 'zod';

/** Deeper values could not be written to a snapshot. */
const maxDepth = 32;

/** Any JSON object with allowed names and depth. */
export const instanceConfigSchema = z
  .custom<Record<string, unknown>>(isJsonObject, 'Expected a JSON object')
  .superRefine((config, context) => {
    for (const problem of findProblems(config, [])) {
      context.addIssue({ code: 'custom', ...problem });
    }
  });

export type InstanceConfig = z.infer<typeof instanceConfigSchema>;

interface Problem {
  path: string[];
  message: string;
}

function* findProblems(value: unknown, path: string[]): Generator<Problem> {
  if (typeof value !== 'object' || value === null) return;
  if (path.length >= maxDepth) {
    yield { path, message: `Nested deeper than ${maxDepth} levels` };
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const memberPath = [...path, name];
    if (path.length === 0 && name.includes('.')) {
      const message = 'A name may not contain a dot: it becomes the claim cfg.<name>';
      yield { path: memberPath, message };
    }
    if (name.split('.').some((segment) => Object.hasOwn(Object.prototype, segment))) {
      yield { path: memberPath, message: 'A name may not be that of a member of every object' };
    }
    yield* findProblems(member, memberPath);
  }
}

function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
