/** The page's span of time and its filters, in the address. */

const hourMs = 3_600_000;

export const spans = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs } as const;

export type SpanName = keyof typeof spans;

export interface CallsSearch {
  /** Default: `day`. */
  last?: Exclude<SpanName, 'day'> | undefined;
  /** Default: failed calls only. */
  outcome?: 'all' | undefined;
  /** A reason of docs/errors.md. Default: all, as for each filter below. */
  reason?: string | undefined;
  /** The platform's status. */
  status?: number | undefined;
  /** The transport's code. */
  fault?: string | undefined;
  host?: string | undefined;
  /** The id of one. */
  installation?: string | undefined;
  plugin?: string | undefined;
}

/** Invalid values become undefined. */
export function parseCallsSearch(raw: Record<string, unknown>): CallsSearch {
  const { last, outcome, status } = raw;
  return {
    last: last === 'hour' || last === 'week' ? last : undefined,
    outcome: outcome === 'all' ? outcome : undefined,
    reason: textOf(raw.reason),
    status: typeof status === 'number' && status >= 100 && status <= 599 ? status : undefined,
    fault: textOf(raw.fault),
    host: textOf(raw.host),
    installation: textOf(raw.installation),
    plugin: textOf(raw.plugin),
  };
}

function textOf(raw: unknown): string | undefined {
  return typeof raw === 'string' ? raw.trim() || undefined : undefined;
}
