/** Findings that a project knows about: they do not fail the run, until they are gone. */
import { z } from 'zod';
import { requireId } from './choose-checks.ts';
import { DoctorError } from './doctor-error.ts';
import type { CheckResult, Report } from './report/report.ts';

const knownSchema = z.record(
  z.string(),
  z.strictObject({
    /** Why it is not corrected yet. */
    reason: z.string().min(1),
    /** Since when it is known: `2026-11-29`. */
    date: z.iso.date(),
  }),
);

/** By the ids of checks. */
export type KnownFindings = z.infer<typeof knownSchema>;

/**
 * The findings that a JSON text lists.
 *
 * @throws DoctorError `OPTION_INVALID`: it is not JSON of this form, or there is no such check
 *
 * @example
 * const known = parseKnown('{ "refuse.noExp": { "reason": "Ticket 12", "date": "2026-11-29" } }');
 */
export function parseKnown(text: string): KnownFindings {
  const { data, error } = knownSchema.safeParse(parseJson(text));
  if (error) {
    const [{ path, message } = { path: [], message: '' }] = error.issues;
    throw invalid(`${path.join(' › ')} ${message}`.trim());
  }
  for (const id of Object.keys(data)) requireId(id);
  return data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

function invalid(problem: string): DoctorError {
  const example = '{ "refuse.noExp": { "reason": "…", "date": "2026-11-29" } }';
  return new DoctorError(
    'OPTION_INVALID',
    `The known findings must be like ${example}: ${problem}`,
  );
}

/** The same report; listed findings do not count, and those that passed are outdated. */
export function markKnown(report: Report, known: KnownFindings): Report {
  const isListed = ({ id }: CheckResult) => Object.hasOwn(known, id);
  return {
    ...report,
    outdated: report.results
      .filter((each) => isListed(each) && each.verdict === 'pass')
      .map(({ id }) => id),
    results: report.results.map((each) => ({
      ...each,
      known: isListed(each) && ['fail', 'warn'].includes(each.verdict),
    })),
  };
}
