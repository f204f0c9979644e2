/** The filters of the audit, in the address. */
import { type AuditResult, auditResultSchema } from '@dowel/admin-api';

export const auditDays = ['today', 'yesterday', 'week'] as const;

export type AuditDays = (typeof auditDays)[number];

export interface AuditSearch {
  /** The operator's whole name. Default: all. */
  who?: string | undefined;
  /** Default: any time. */
  days?: AuditDays | undefined;
  /** Default: all. */
  result?: AuditResult | undefined;
}

/** Invalid values become undefined. */
export function parseAuditSearch({ who, days, result }: Record<string, unknown>): AuditSearch {
  return {
    who: typeof who === 'string' ? who.trim() || undefined : undefined,
    days: auditDays.find((each) => each === days),
    result: auditResultSchema.safeParse(result).data,
  };
}

/** Returns epoch milliseconds of midnights in the reader's zone; a day may have 23 or 25 hours. */
export function boundsOf(days: AuditDays | undefined, now: Date) {
  const midnight = (daysAgo: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime();
  if (days === undefined) return { since: undefined, until: undefined };
  if (days === 'today') return { since: midnight(0), until: undefined };
  if (days === 'week') return { since: midnight(6), until: undefined };
  return { since: midnight(1), until: midnight(0) };
}
