import type { Fleet } from '@dowel/schema';

/** How many installations there are, in every state. */
export function countAll({ groups }: Pick<Fleet, 'groups'>): number {
  return Object.values(groups).reduce((sum, count) => sum + count, 0);
}
