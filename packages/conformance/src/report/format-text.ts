/** A report for people: the verdict first, then findings, then what was not judged. */
import { styleText } from 'node:util';
import type { Severity, Verdict } from '../check.ts';
import { formatTrace } from './format-trace.ts';
import { plain } from './plain.ts';
import type { CheckResult, Report } from './report.ts';

export interface TextOptions {
  /** Also lists the checks that passed. Default false. */
  all?: boolean;
  /** For a terminal. Default false. */
  colors?: boolean;
  /** What a person writes to run it again. Default: `dowel doctor` with the URL of the manifest. */
  command?: string;
}

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

const maxNames = 5;
const width = 10;

/** Returns the lines of the report. Messages of checks are in it if the run had `traces`. */
export function formatText(
  report: Report,
  { all = false, colors = false, command = `dowel doctor ${report.target}` }: TextOptions = {},
): string {
  const paint: Paint = (style, text) =>
    colors ? styleText(style, text, { validateStream: false }) : text;
  const findings = findingsOf(report);
  const passed = report.results.filter((each) => isPassed(each) && !isRemark(each));
  const shown = all ? [...findings, ...passed] : findings;
  return [
    paint('bold', describeVerdict(report)),
    ...shown.flatMap((result) => ['', ...describeResult(result, command, paint)]),
    ...describeSilent(report, all),
    ...describeKnown(report),
    '',
    'Not judged, because it cannot be seen from outside:',
    ...report.notJudged.map((each) => `  - ${each}`),
    '',
    `The platform of this run was ${report.origin}. It took ${report.seconds} s.`,
  ].join('\n');
}

const isPassed = ({ verdict }: CheckResult) => verdict === 'pass';

/** What a check of severity `note` has to say. It never counts. */
const isRemark = ({ severity, verdict, note }: CheckResult) =>
  severity === 'note' && verdict === 'pass' && note !== '';

/** The most serious first. */
function findingsOf({ results }: Report): CheckResult[] {
  const of = (wanted: Verdict) =>
    results.filter(({ verdict, known }) => verdict === wanted && !known);
  return [...of('error'), ...of('fail'), ...of('warn'), ...results.filter(isRemark)];
}

function describeVerdict(report: Report): string {
  const why = report.interrupted ?? report.control;
  const counts = describeCounts(report);
  return why === null ? counts : `Not judged. ${plain(why)}\n${counts}`;
}

function describeCounts({ results }: Report): string {
  const count = (wanted: Verdict, isKnown = false) =>
    results.filter(({ verdict, known }) => verdict === wanted && known === isKnown).length;
  const skipped = results.filter(({ verdict }) => verdict === 'skipped');
  const flags = new Set(skipped.filter(isNotAsked).flatMap(({ missing }) => missing));
  const notAsked = skipped.filter(isNotAsked).length;
  const known = count('fail', true) + count('warn', true);
  const parts = [
    [count('fail'), 'must failed'],
    [count('warn'), 'should failed'],
    [count('error'), 'could not run'],
    [count('pass'), 'pass'],
    [known, 'known'],
    [count('blocked'), 'blocked'],
    [count('open'), 'open'],
    [skipped.length - notAsked, 'not for this manifest'],
    [notAsked, `not asked: give ${[...flags].map((flag) => `--${flag}`).join(', ')}`],
  ] as const;
  return parts
    .filter(([number, words]) => number > 0 || words === 'pass')
    .map(([number, words]) => `${number} ${words}`)
    .join(', ');
}

/** A flag would make it run. */
function isNotAsked({ missing }: CheckResult): boolean {
  return missing.length > 0 && !missing.includes('apiAccess');
}

const styles: Record<Severity, Parameters<typeof styleText>[0]> = {
  must: 'red',
  should: 'yellow',
  note: 'dim',
};

function describeResult(result: CheckResult, command: string, paint: Paint): string[] {
  const { id, claim, reference, severity, verdict, note, fix } = result;
  const passed = isPassed(result) && !isRemark(result);
  const label = passed || verdict === 'error' ? verdict : severity;
  const style = passed ? 'green' : styles[severity];
  const row = (name: string, text: string) => `${''.padEnd(width)}${name.padEnd(5)}${plain(text)}`;
  const indented = (line: string) => `${''.padEnd(width)}${line}`;
  return [
    `${paint(style, label.padEnd(width))}${paint('bold', id)}  ${claim} (${reference})`,
    ...(note === '' ? [] : [row('saw', note)]),
    ...(passed
      ? []
      : [
          row('fix', fix),
          row('more', `${command} --only ${id} --trace`),
          row('', `dowel doctor --explain ${id}`),
        ]),
    ...formatTrace(result, !passed).map(indented),
  ];
}

/** Checks without a verdict, by the reason. */
function describeSilent({ results }: Report, all: boolean): string[] {
  const silent = results.filter(({ verdict }) => verdict === 'blocked' || verdict === 'open');
  const groups = Map.groupBy(
    silent,
    ({ verdict, note }) => `${verdict.padEnd(width)}${plain(note)}`,
  );
  return [...groups].flatMap(([reason, group]) => {
    const names = group.map(({ id }) => id);
    const rest = all ? 0 : names.length - maxNames;
    const list =
      rest > 0 ? `${names.slice(0, maxNames).join(', ')} and ${rest} more` : names.join(', ');
    return ['', reason, `${''.padEnd(width)}${list}`];
  });
}

function describeKnown({ results, outdated }: Report): string[] {
  const known = results.filter(({ known }) => known).map(({ id }) => id);
  return [
    ...(known.length > 0 ? ['', `${'known'.padEnd(width)}${known.join(', ')}`] : []),
    ...outdated.map(
      (id) => `\n${'outdated'.padEnd(width)}${id} passes: remove it from the known findings.`,
    ),
  ];
}
