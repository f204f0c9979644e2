import { expect, test } from 'vitest';
import { DoctorError } from './doctor-error.ts';
import { markKnown, parseKnown } from './known.ts';
import { exitCodeOf } from './report/report.ts';
import { reportOf } from './testing/report-of.ts';

const known = parseKnown('{ "refuse.noExp": { "reason": "Ticket 12", "date": "2026-11-29" } }');

test('a listed finding does not fail the run', () => {
  const report = markKnown(reportOf([{ verdict: 'fail' }]), known);

  expect(report.results[0]?.known).toBe(true);
  expect(exitCodeOf(report)).toBe(0);
});

test('a listed finding that passes fails the run', () => {
  const report = markKnown(reportOf([{}]), known);

  expect(report.outdated).toEqual(['refuse.noExp']);
  expect(exitCodeOf(report)).toBe(1);
});

test('a listed check that did not run is not known and not outdated', () => {
  const report = markKnown(reportOf([{ verdict: 'blocked' }]), known);

  expect(report.outdated).toEqual([]);
  expect(exitCodeOf(report)).toBe(4);
});

test.each([
  ['{', 'The known findings must be like'],
  ['[]', 'The known findings must be like'],
  ['{ "refuse.noExp": { "reason": "x" } }', 'refuse.noExp › date'],
  ['{ "refuse.noExp": { "reason": "x", "date": "today" } }', 'refuse.noExp › date'],
  [
    '{ "refuse.noexp": { "reason": "x", "date": "2026-11-29" } }',
    'There is no check "refuse.noexp". Did you mean refuse.noExp?',
  ],
])('%s is a mistake', (text, problem) => {
  expect(() => parseKnown(text)).toThrow(DoctorError);
  expect(() => parseKnown(text)).toThrow(problem);
});
