/** Runs one check, and turns what it throws into its verdict. */
import { type Check, Finding, type Verdict } from './check.ts';
import type { CheckResult } from './report/report.ts';
import type { OwnRequest, Trial } from './world/trial.ts';

/** Never rejects. */
export async function runCheck(
  check: Check,
  trial: Trial,
  { traces = false } = {},
): Promise<CheckResult> {
  const begun = performance.now();
  const outcome = await check.run(trial).then(
    (note = ''): Outcome => ({ verdict: 'pass', note }),
    (error: unknown) => judge(check, error),
  );
  const ms = Math.round(performance.now() - begun);
  return {
    ...resultOf(check, outcome.verdict, maskTokens(outcome.note)),
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
  return { id, claim, reference, severity, verdict, note, fix, missing, ms: 0, known: false };
}

interface Outcome {
  verdict: Verdict;
  note: string;
}

function judge({ severity }: Check, error: unknown): Outcome {
  if (!(error instanceof Finding)) {
    return {
      verdict: 'error',
      note: `The doctor failed: ${(error as Error).stack ?? String(error)}`,
    };
  }
  const note = error.message;
  if (error.verdict !== 'wrong') return { verdict: error.verdict, note };
  if (severity === 'note') return { verdict: 'pass', note };
  return { verdict: severity === 'must' ? 'fail' : 'warn', note };
}

/** Answers of a back end may contain tokens. */
export function maskTokens(text: string): string {
  return text.replace(/eyJ[\w-]*(?:\.[\w-]*){0,2}/g, '[token]').replace(/[\w-]{43,}/g, '[secret]');
}

function traceOf({ world, tenantId, ownRequests }: Trial): CheckResult['exchanges'] {
  const own = ownRequests.map(({ at, method, url, headers, body, status, answer }: OwnRequest) => ({
    at,
    direction: 'out' as const,
    kind: 'request',
    method,
    url: maskTokens(url),
    headers,
    body: maskTokens(body),
    status,
    answer: status === null ? null : maskTokens(answer),
    fault: null,
  }));
  const recorded = world.platform.exchanges({ tenantId }).map(({ answer, ...each }) => ({
    at: each.at,
    direction: each.direction,
    kind: each.kind,
    method: each.method,
    url: each.url,
    headers: each.headers,
    body: each.body,
    status: each.status,
    answer: answer?.body ?? null,
    fault: each.fault,
  }));
  const inOrder = [...recorded, ...own].sort((a, b) => a.at - b.at);
  return inOrder.map((each) => {
    const { at: _, ...message } = each;
    return message;
  });
}
