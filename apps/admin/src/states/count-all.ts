import type { Fleet } from '@dowel/admin-api';

/** The number of installations in all states. */
export function countAll({ groups }: Pick<Fleet, 'groups'>): number {
  return Object.values(groups).reduce((sum, count) => sum + count, 0);
}

/** Without those that are uninstalled. */
export function countInstalled({ groups }: Pick<Fleet, 'groups'>): number {
  return countAll({ groups }) - groups.uninstalled;
}
