import { expect, test } from 'vitest';
import { reportOf } from '../testing/report-of.ts';
import { formatJunit } from './format-junit.ts';

const wrong = { id: 'refuse.noExp', verdict: 'fail', note: 'a < b & "c"\u0007' } as const;
const poor = { id: 'reception.json', verdict: 'warn', note: 'Status 415' } as const;

test('a must that failed is a failure with its fix, and a should is a passing case', () => {
  const xml = formatJunit(reportOf([wrong, poor, {}]));

  expect(xml).toContain('<testsuites tests="3" failures="1" errors="0" skipped="0">');
  expect(xml).toContain(
    '<failure message="a &lt; b &amp; &quot;c&quot;">Require exp.</failure></testcase>',
  );
  expect(xml).toContain('<system-out>Status 415\nRequire exp.</system-out></testcase>');
  expect(formatJunit(reportOf([poor]), { isStrict: true })).toContain('failures="1"');
});

test('a known finding is a passing case, and an outdated one a failure', () => {
  const xml = formatJunit(reportOf([{ ...wrong, known: true }, poor], { outdated: [poor.id] }));

  expect(xml).toContain('failures="1"');
  expect(xml).toContain('<system-out>Known: a &lt; b');
  expect(xml).toContain('<failure message="It passes: remove it from the known findings">');
});

test.each(['skipped', 'blocked', 'open'] as const)('%s is a skipped case', (verdict) => {
  const xml = formatJunit(reportOf([{ verdict, note: 'Not asked' }]));

  expect(xml).toContain(`skipped="1"`);
  expect(xml).toContain(`<skipped message="${verdict}: Not asked"></skipped></testcase>`);
});

test.each(['control', 'callControl', 'interrupted'] as const)(
  '%s is an error, although the checks behind it are only skipped',
  (name) => {
    const xml = formatJunit(reportOf([{ verdict: 'open' }], { [name]: 'Unknown key' }));

    expect(xml).toContain('tests="2" failures="0" errors="1" skipped="1"');
    expect(xml).toContain('<error message="Unknown key"></error>');
  },
);
