/** Changes an object of JSON: an answer with tokens, or the claims of an event. */

interface Changes {
  /** An object replaces the members that it names, and keeps the others. */
  set: Record<string, unknown>;
  /** Paths with dots. */
  unset: readonly string[];
}

export function changeMembers(value: unknown, { set, unset }: Changes): Record<string, unknown> {
  const changed = merge(value, set);
  for (const path of unset) remove(changed, path.split('.'));
  return changed;
}

function merge(value: unknown, changes: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...Object(value) };
  for (const [name, change] of Object.entries(changes)) {
    merged[name] =
      isObject(change) && isObject(merged[name]) ? merge(merged[name], change) : change;
  }
  return merged;
}

function remove(target: Record<string, unknown>, [name = '', ...rest]: string[]): void {
  const member = target[name];
  if (rest.length === 0) delete target[name];
  else if (isObject(member)) {
    target[name] = { ...member };
    remove(target[name] as Record<string, unknown>, rest);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
