/** The page's span of time and its filter, in the address. */

const hourMs = 3_600_000;

export const spans = { day: 24 * hourMs, week: 7 * 24 * hourMs } as const;

export type SpanName = keyof typeof spans;

export interface RefusedSearch {
  /** Default: `day`. */
  span?: Exclude<SpanName, 'day'> | undefined;
  /** A reason of docs/errors.md. Default: all. */
  reason?: string | undefined;
  /** Default: first the reasons where an operator can do something, and the latest refusals. */
  order?: 'count' | undefined;
}

/** Invalid values become undefined. */
export function parseRefusedSearch({
  span,
  reason,
  order,
}: Record<string, unknown>): RefusedSearch {
  return {
    span: span === 'week' ? span : undefined,
    reason: typeof reason === 'string' ? reason || undefined : undefined,
    order: order === 'count' ? order : undefined,
  };
}
