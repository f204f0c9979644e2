/** The time axis of every chart: ticks at whole hours of the reader's zone. Points in time are epoch milliseconds. */

/** From `from` up to, not including, `to`. */
export interface TimeSpan {
  from: number;
  to: number;
}

export interface TimeTick {
  at: number;
  /** The tick shows the date instead of the time. */
  isMidnight: boolean;
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
const stepMinutes = [5, 10, 15, 30, 60, 120, 180, 240, 360, 720];
const stepDays = [1, 2, 7, 14, 30, 61, 122, 366];

/** How far along the span a point in time is: 0 at its start, 1 at its end. */
export function shareOf({ from, to }: TimeSpan, at: number): number {
  return (at - from) / (to - from);
}

/** At most `maxCount` ticks, each at the same distance by the reader's clock. */
export function listTicks(span: TimeSpan, maxCount = 7): TimeTick[] {
  const minutes = (span.to - span.from) / minuteMs;
  const isFew = (step: number) => minutes / step <= maxCount;
  const step = stepMinutes.find(isFew);
  const days = stepDays.find((count) => isFew(count * dayMinutes)) ?? stepDays.at(-1) ?? 1;
  const times = step === undefined ? listDays(span, days) : listTimes(span, step);
  return times
    .filter((at) => at >= span.from && at < span.to)
    .map((at) => ({ at, isMidnight: at === midnightOf(at) }));
}

/** Counts from each midnight, so a change to summer time does not move later ticks. */
function listTimes(span: TimeSpan, step: number): number[] {
  const times = listDays(span, 1).flatMap((midnight) => {
    const date = new Date(midnight);
    return Array.from({ length: Math.ceil(dayMinutes / step) }, (_, index) =>
      new Date(date.getFullYear(), date.getMonth(), date.getDate(), 0, index * step).getTime(),
    );
  });
  return [...new Set(times)];
}

/** Every midnight that is `days` after the first one of the span, and the one before the span. */
function listDays({ from, to }: TimeSpan, days: number): number[] {
  const first = new Date(midnightOf(from));
  const count = Math.ceil((to - from) / minuteMs / dayMinutes / days) + 1;
  const offset = first.getTime() === from || days === 1 ? 0 : 1;
  return Array.from({ length: count }, (_, index) =>
    new Date(
      first.getFullYear(),
      first.getMonth(),
      first.getDate() + offset + index * days,
    ).getTime(),
  );
}

function midnightOf(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
