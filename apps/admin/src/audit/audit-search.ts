/** The filters of the audit, in the address. */
import { type AuditResult, auditResultSchema } from '@dowel/admin-api';

export const auditDays = ['today', 'yesterday', 'week'] as const;

type AuditDays = (typeof auditDays)[number];

export interface AuditSearch {
  /** The beginning of an operator's name. Default: all. */
  who?: string | undefined;
  /** Default: all. */
  action?: string | undefined;
  /** The id of one. Default: all. */
  installation?: string | undefined;
  /** Default: any time. */
  days?: AuditDays | undefined;
  /** The first day, such as 2027-01-31, in the reader's zone. */
  from?: string | undefined;
  /** The last day. */
  to?: string | undefined;
  /** Default: all. */
  result?: AuditResult | undefined;
}

/** Invalid values become undefined. */
export function parseAuditSearch(raw: Record<string, unknown>): AuditSearch {
  return {
    who: textOf(raw.who),
    action: textOf(raw.action),
    installation: textOf(raw.installation),
    days: auditDays.find((each) => each === raw.days),
    from: dayOf(raw.from),
    to: dayOf(raw.to),
    result: auditResultSchema.safeParse(raw.result).data,
  };
}

function textOf(raw: unknown): string | undefined {
  return typeof raw === 'string' ? raw.trim() || undefined : undefined;
}

function dayOf(raw: unknown): string | undefined {
  const text = textOf(raw) ?? '';
  return /^\d{4}-\d\d-\d\d$/.test(text) && midnightOf(text) !== undefined ? text : undefined;
}

/** Midnight at which the day begins, or one so many days later; undefined: there is no such day. */
function midnightOf(day: string, later = 0): number | undefined {
  const date = new Date(`${day}T00:00`);
  // For 31 February, `Date` returns a day in March.
  if (date.getDate() !== Number(day.slice(-2))) return undefined;
  return date.setDate(date.getDate() + later);
}

/** Returns epoch milliseconds of midnights in the reader's zone; a day may have 23 or 25 hours. */
export function boundsOf({ days, from, to }: AuditSearch, now: Date) {
  if (from ?? to) {
    return {
      since: from === undefined ? undefined : midnightOf(from),
      until: to === undefined ? undefined : midnightOf(to, 1),
    };
  }
  const midnight = (daysAgo: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime();
  if (days === undefined) return { since: undefined, until: undefined };
  if (days === 'today') return { since: midnight(0), until: undefined };
  if (days === 'week') return { since: midnight(6), until: undefined };
  return { since: midnight(1), until: midnight(0) };
}
