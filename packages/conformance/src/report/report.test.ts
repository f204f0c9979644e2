import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { reportOf } from '../testing/report-of.ts';
import { exitCodeOf, reportSchema } from './report.ts';
import { reportJsonSchema } from './report-json-schema.ts';

test.each([
  [0, reportOf([{}, { verdict: 'warn' }, { verdict: 'skipped' }])],
  [1, reportOf([{ verdict: 'fail' }, { verdict: 'error' }])],
  [0, reportOf([{ verdict: 'fail', known: true }])],
  [1, reportOf([{}], { outdated: ['refuse.noExp'] })],
  [3, reportOf([{ verdict: 'blocked' }], { control: 'Unknown key' })],
  [3, reportOf([{ verdict: 'error' }])],
  [3, reportOf([{ verdict: 'fail' }], { interrupted: 'The run was ended.' })],
  [4, reportOf([{ verdict: 'blocked' }])],
  [4, reportOf([{ verdict: 'open' }])],
] as const)('ends with %i', (code, report) => {
  expect(exitCodeOf(report)).toBe(code);
});

test('a strict run ends with 1 when a should failed', () => {
  expect(exitCodeOf(reportOf([{ verdict: 'warn' }]), { isStrict: true })).toBe(1);
});

test('report.schema.json is as pnpm generate writes it', async () => {
  const file = new URL('../../report.schema.json', import.meta.url);

  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(reportJsonSchema());
});

test('the schema accepts a report, and one with members that a later version adds', () => {
  const report = { ...reportOf([{}]), later: true };

  expect(reportSchema.parse(report)).toEqual(reportOf([{}]));
  expect(z.fromJSONSchema(reportJsonSchema()).safeParse(report).success).toBe(true);
  expect(z.fromJSONSchema(reportJsonSchema()).safeParse({ ...report, version: 2 }).success).toBe(
    false,
  );
});
