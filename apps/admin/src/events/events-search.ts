/** The filters of the page, in the address. */
import { type DeliveriesQuery, deliveryEventSchema, deliveryOutcomeSchema } from '@dowel/admin-api';

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** How far the counts of refusals go back. */
export const spans = { day: 24 * hourMs, week: 7 * 24 * hourMs } as const;

export type SpanName = keyof typeof spans;

/** The orders of the reasons, the default first: those where an operator can do something, or the most frequent. */
export const reasonOrders = ['help', 'count'] as const;
/** The orders of the events, the default first. */
export const eventOrders = ['newest', 'oldest'] as const;

export interface EventsSearch {
  /** Default: `day`. */
  span?: SpanName | undefined;
  /** The order of the reasons. Default: the first one. */
  reasons?: (typeof reasonOrders)[number] | undefined;
  /** Of the events. Default: the first one. */
  order?: (typeof eventOrders)[number] | undefined;
  /** A reason of docs/errors.md. Default: all. */
  reason?: string | undefined;
  /** The id of one. Default: all. */
  installation?: string | undefined;
  event?: DeliveriesQuery['event'];
  outcome?: DeliveriesQuery['outcome'];
  /** The first minute, such as 2027-01-31T14:05, in the reader's zone. */
  from?: string | undefined;
  /** The last minute. */
  to?: string | undefined;
  /** The id of the delivery whose details are open. */
  delivery?: string | undefined;
}

/** Invalid values become undefined, and defaults are left out. */
export function parseEventsSearch(raw: Record<string, unknown>): EventsSearch {
  return {
    span: raw.span === 'week' ? 'week' : undefined,
    reasons: reasonOrders.slice(1).find((each) => each === raw.reasons),
    order: eventOrders.slice(1).find((each) => each === raw.order),
    reason: textOf(raw.reason),
    installation: textOf(raw.installation),
    event: deliveryEventSchema.safeParse(raw.event).data,
    outcome: deliveryOutcomeSchema.safeParse(raw.outcome).data,
    from: minuteOf(raw.from),
    to: minuteOf(raw.to),
    delivery: textOf(raw.delivery),
  };
}

function textOf(raw: unknown): string | undefined {
  return typeof raw === 'string' ? raw || undefined : undefined;
}

function minuteOf(raw: unknown): string | undefined {
  const text = textOf(raw) ?? '';
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : undefined;
}

/** What the server is asked for. The last minute is a whole one. */
export function queryOfSearch({
  order,
  reason,
  installation: installationId,
  event,
  outcome,
  from,
  to,
}: EventsSearch) {
  const since = from === undefined ? undefined : Date.parse(from);
  const until = to === undefined ? undefined : Date.parse(to) + minuteMs;
  return { order, reason, installationId, event, outcome, since, until };
}

/** Whether the list shows only some. */
export function isFiltered(search: EventsSearch): boolean {
  const { order: _, ...filters } = queryOfSearch(search);
  return Object.values(filters).some((value) => value !== undefined);
}
