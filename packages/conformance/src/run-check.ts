/** Runs one check, and turns what it throws into its verdict. */
import { maskHeaders, maskSecrets } from '@dowel/emulator';
import { type Check, Finding, limited, type Verdict } from './check.ts';
import { plainLine } from './report/plain.ts';
import type { CheckResult } from './report/report.ts';
import type { OwnRequest } from './world/own-requests.ts';
import type { Trial } from './world/trial.ts';

/** Of a body. */
const shownCharacters = 4_096;

/** Never rejects. */
export async function runCheck(
  check: Check,
  trial: Trial,
  { traces = false } = {},
): Promise<CheckResult> {
  const begun = performance.now();
  const outcome = await check.run(trial).then(
    (note): Outcome => ({ verdict: 'pass', note: note ?? '' }),
    (error: unknown) => judge(check, error, trial),
  );
  const ms = Math.round(performance.now() - begun);
  return {
    ...resultOf(check, outcome.verdict, maskSecrets(outcome.note)),
    ms,
    ...(traces && { exchanges: traceOf(trial) }),
  };
}

/** The result of a check that does not run. */
export function resultOf(
  { id, claim, reference, severity, fix }: Check,
  verdict: Verdict,
  note: string,
  missing: CheckResult['missing'] = [],
): CheckResult {
  const shown = plainLine(note);
  return {
    id,
    claim,
    reference,
    severity,
    verdict,
    note: shown,
    fix,
    missing,
    ms: 0,
    known: false,
  };
}

interface Outcome {
  verdict: Verdict;
  note: string;
}

function judge({ severity }: Check, error: unknown, trial: Trial): Outcome {
  if (!(error instanceof Finding)) {
    return {
      verdict: 'error',
      note: `The doctor failed: ${(error as Error).stack ?? String(error)}`,
    };
  }
  const note = error.message;
  if (error.verdict !== 'wrong') return { verdict: error.verdict, note };
  if (trial.wasLimited()) return { verdict: 'open', note: `${limited}. What was seen: ${note}` };
  if (severity === 'note') return { verdict: 'pass', note };
  return { verdict: severity === 'must' ? 'fail' : 'warn', note };
}

/** Oldest first, without secrets. */
function traceOf({ world, tenantId, ownRequests }: Trial): CheckResult['exchanges'] {
  const own = ownRequests.map((each: OwnRequest) => ({
    ...each,
    direction: 'out' as const,
    kind: 'request',
    url: maskSecrets(each.url),
    headers: maskHeaders(each.headers),
    body: maskSecrets(each.body).slice(0, shownCharacters),
    answer: each.status === null ? null : maskSecrets(each.answer).slice(0, shownCharacters),
    fault: null,
  }));
  const recorded = world.platform
    .exchanges({ tenantId })
    .map((each) => ({ ...each, answer: each.answer?.body ?? null }));
  return [...recorded, ...own].sort((a, b) => a.at - b.at).map(toMessage);
}

type Message = NonNullable<CheckResult['exchanges']>[number];

function toMessage(each: Message): Message {
  const { direction, kind, method, url, headers, body, status, answer, fault } = each;
  return { direction, kind, method, url, headers, body, status, answer, fault };
}
