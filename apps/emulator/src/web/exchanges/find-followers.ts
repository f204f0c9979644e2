import type { ExchangeSummary } from '@dowel/emulator/control-api';

/** The platform waits no longer for the answer to an event. */
const longestWaitMs = 30_000;

export interface Followers {
  /** Requests of the same plug-in that began before this one was answered. */
  during: ExchangeSummary[];
  /** The first one after that. */
  next: ExchangeSummary | undefined;
}

/** @param exchanges oldest first. */
export function findFollowers(
  { id, pluginId, at, answeredAt }: ExchangeSummary,
  exchanges: readonly ExchangeSummary[],
): Followers {
  if (pluginId === null) return { during: [], next: undefined };
  const later = exchanges.filter((each) => each.id > id && each.pluginId === pluginId);
  const end = answeredAt ?? at + longestWaitMs;
  // In the millisecond of the answer, only the plug-in's own requests can be earlier than it.
  const isDuring = (each: ExchangeSummary) =>
    each.direction === 'in' ? each.at <= end : each.at < end;
  return {
    during: later.filter(isDuring),
    next: later.find((each) => !isDuring(each)),
  };
}
