/** The result of a run, as `--json` prints it. */
import { z } from 'zod';
import { verdicts } from '../check.ts';

const needSchema = z.enum(['apiAccess', 'call', 'start', 'browser', 'slow']);

const checkResultSchema = z.object({
  id: z.string(),
  claim: z.string(),
  reference: z.string(),
  severity: z.enum(['must', 'should', 'note']),
  verdict: z.enum(verdicts),
  /** What was seen, or why nothing was judged. Empty if there is nothing to say. Secrets are masked. */
  note: z.string(),
  fix: z.string(),
  /** Of a skipped check: what was not given. */
  missing: z.array(needSchema),
  ms: z.number(),
  /** A known finding, which does not count. */
  known: z.boolean(),
  /** The requests of the check's tenant, oldest first: only with `trace`. Secrets are masked. */
  exchanges: z
    .array(
      z.object({
        direction: z.enum(['in', 'out']),
        kind: z.string(),
        method: z.string(),
        url: z.string(),
        headers: z.record(z.string(), z.string()),
        body: z.string(),
        status: z.number().nullable(),
        answer: z.string().nullable(),
        fault: z.string().nullable(),
      }),
    )
    .optional(),
});

export const reportSchema = z.object({
  version: z.literal(1),
  /** The URL of the manifest. */
  target: z.string(),
  /** The platform's origin, which the back end must not trust in production. */
  origin: z.string(),
  seconds: z.number(),
  /** Why the first installation failed, in the back end's own words. Null: it worked. */
  control: z.string().nullable(),
  /** Why no call reached the platform's API. Null: one did, or none was asked for. */
  callControl: z.string().nullable(),
  /** Why the run has ended early. Null: it is complete. */
  interrupted: z.string().nullable(),
  counts: z.record(z.enum(verdicts), z.number()),
  /** What cannot be seen from outside. */
  notJudged: z.array(z.string()),
  /** Ids of known findings that are none any more: their checks passed. */
  outdated: z.array(z.string()),
  results: z.array(checkResultSchema),
});

export type CheckResult = z.infer<typeof checkResultSchema>;
export type Report = z.infer<typeof reportSchema>;

/** What no check can see from outside; each report has this list. */
export const notJudged: readonly string[] = [
  'encryption at rest and in backups',
  'what logs and traces hold',
  'whether uninstall deletes: only that tokens are not used any more',
  'whether production trusts only the real key host: remove the origin of this run there',
  'which issuers are welcome',
  'several processes behind a balancer, unless the URL is that of the balancer',
  'memory and load',
  'how long leeways and caches of keys are, exactly',
  'what the platform does not document: refreshes, repeated events, rate limits',
];

/**
 * Returns how the command ends.
 *
 * - 0: no `must` failed.
 * - 1: a `must` failed, or a known finding is outdated; with `isStrict` also a `should`.
 * - 3: not judged: the back end cannot be reached, does not trust this platform or stopped answering, the run was ended,
 *   or the doctor has a defect.
 * - 4: nothing failed, and a check that was asked for is blocked or open.
 */
export function exitCodeOf(report: Report, { isStrict = false } = {}): 0 | 1 | 3 | 4 {
  const counted = report.results.filter(({ known }) => !known);
  const has = (...wanted: CheckResult['verdict'][]) =>
    counted.some(({ verdict }) => wanted.includes(verdict));
  if (report.interrupted !== null) return 3;
  if (has('fail') || (isStrict && has('warn')) || report.outdated.length > 0) return 1;
  if (report.control !== null || has('error')) return 3;
  return has('blocked', 'open') ? 4 : 0;
}

export function countVerdicts(results: readonly CheckResult[]): Report['counts'] {
  const counts = { pass: 0, fail: 0, warn: 0, skipped: 0, blocked: 0, open: 0, error: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}
