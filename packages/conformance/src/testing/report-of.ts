/** Reports as data. */
import { type CheckResult, countVerdicts, notJudged, type Report } from '../report/report.ts';

/** A report with these results. @param more members that are not as after a complete run */
export function reportOf(
  results: readonly Partial<CheckResult>[],
  more: Partial<Report> = {},
): Report {
  const whole = results.map(resultOf);
  return {
    version: 1,
    target: 'http://localhost:3000/manifest.json',
    origin: 'http://localhost:4300',
    seconds: 6.4,
    control: null,
    callControl: null,
    interrupted: null,
    counts: countVerdicts(whole),
    notJudged: [...notJudged],
    outdated: [],
    results: whole,
    ...more,
  };
}

function resultOf(given: Partial<CheckResult>): CheckResult {
  return {
    id: 'refuse.noExp',
    claim: 'An event without exp is refused.',
    reference: 'Spec §5.1',
    severity: 'must',
    verdict: 'pass',
    note: '',
    fix: 'Require exp.',
    missing: [],
    ms: 12,
    known: false,
    ...given,
  };
}
