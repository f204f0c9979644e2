import { z } from 'zod';

/**
 * Refuses values that have a member `__proto__`, at any depth; zod itself drops it silently. The
 * JSON Schema of the result is that of `schema`.
 */
export function withoutPrototypeMembers<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<z.output<Schema>, z.input<Schema>> {
  const guarded = z.preprocess((value, context) => {
    if (!hasPrototypeMember(value)) return value;
    context.addIssue({ code: 'custom', message: 'Has a member named __proto__' });
    return z.NEVER;
  }, schema);
  // A preprocessed schema accepts any input type; it still accepts only the values of `schema`.
  return guarded as z.ZodType<z.output<Schema>, z.input<Schema>>;
}

/** Without recursion, because a hostile value may be deeper than the stack. */
export function hasPrototypeMember(value: unknown): boolean {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__')) return true;
    for (const each of Object.values(next)) pending.push(each);
  }
  return false;
}
