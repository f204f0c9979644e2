/** A report as JUnit XML, which CI servers show. They show skipped tests as good: the exit code is the verdict. */
import type { CheckResult, Report } from './report.ts';

/** Returns the document. @param options.isStrict whether a `should` fails, too */
export function formatJunit(report: Report, { isStrict = false } = {}): string {
  const cases = [
    ...stoppers(report),
    ...report.results.map((result) => testCase(result, toElement(result, report, isStrict))),
  ];
  const count = (element: string) => cases.filter((each) => each.includes(`<${element}`)).length;
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="dowel doctor" ${counts} time="${report.seconds}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** What leaves checks without a verdict is a case of its own, because they only count as skipped. */
function stoppers({ control, callControl, interrupted }: Report): string[] {
  const named = { control, callControl, interrupted };
  return Object.entries(named).flatMap(([id, why]) =>
    why === null
      ? []
      : [testCase({ id, claim: 'The back end can be judged.', ms: 0 }, element('error', why))],
  );
}

function testCase(
  { id, claim, ms }: Pick<CheckResult, 'id' | 'claim' | 'ms'>,
  inner: string,
): string {
  const [group = ''] = id.split('.');
  const attributes = `classname="${escapeXml(group)}" name="${escapeXml(`${id}: ${claim}`)}" time="${ms / 1000}"`;
  return inner === ''
    ? `    <testcase ${attributes}/>`
    : `    <testcase ${attributes}>${inner}</testcase>`;
}

function toElement(result: CheckResult, { outdated }: Report, isStrict: boolean): string {
  const { id, verdict, note, fix, known } = result;
  if (outdated.includes(id))
    return element('failure', 'It passes: remove it from the known findings');
  if (verdict === 'error') return element('error', note);
  if (verdict === 'pass') return '';
  if (verdict === 'fail' || verdict === 'warn') {
    const counts = !known && (verdict === 'fail' || isStrict);
    if (counts) return element('failure', note, fix);
    return `<system-out>${escapeXml(`${known ? 'Known: ' : ''}${note}\n${fix}`)}</system-out>`;
  }
  return element('skipped', `${verdict}: ${note}`);
}

function element(name: string, message: string, text = ''): string {
  return `<${name} message="${escapeXml(message)}">${escapeXml(text)}</${name}>`;
}

/** XML has no other control characters than these three. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\P{Cc}]|[\p{Cs}\uFFFE\uFFFF]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
