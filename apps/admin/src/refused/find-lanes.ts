/** The lanes of the chart: one for each reason, and one for the rest. */
import type { Refusals } from '@dowel/schema';
import { canHelp } from '../shared/reason-looks.ts';

export interface Lane {
  /** Null: the lane of all other reasons. */
  reason: string | null;
  /** Whether the operator can do something. */
  isActionable: boolean;
  total: number;
  /** The count of each bar. */
  counts: readonly number[];
}

const maxLanes = 8;

/** Reasons where the operator can do something come first, then the most frequent. */
export function findLanes(reasons: Refusals['reasons']): Lane[] {
  const lanes = reasons
    .map((each): Lane => ({ ...each, isActionable: canHelp(each.reason) }))
    .toSorted((a, b) => Number(b.isActionable) - Number(a.isActionable) || b.total - a.total);
  if (lanes.length <= maxLanes) return lanes;
  return [...lanes.slice(0, maxLanes - 1), joinLanes(lanes.slice(maxLanes - 1))];
}

function joinLanes(lanes: readonly Lane[]): Lane {
  const bars = lanes[0]?.counts ?? [];
  return {
    reason: null,
    isActionable: lanes.some(({ isActionable }) => isActionable),
    total: lanes.reduce((sum, { total }) => sum + total, 0),
    counts: bars.map((_, index) =>
      lanes.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0),
    ),
  };
}
