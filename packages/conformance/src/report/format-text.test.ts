import { expect, test } from 'vitest';
import { reportOf } from '../testing/report-of.ts';
import { formatText } from './format-text.ts';
import { notJudged } from './report.ts';

const wrong = { id: 'refuse.tampered', verdict: 'fail', note: 'It was answered with 201' } as const;
const poor = { id: 'reception.json', verdict: 'warn', severity: 'should' } as const;
const unasked = { id: 'call.bearer', verdict: 'skipped', missing: ['call'] } as const;
const firstLine = (text: string) => text.split('\n', 1)[0];

test('the first line is the verdict with what was not asked', () => {
  const asked = { ...unasked, missing: ['call'] as ['call'] };
  const restart = { ...unasked, missing: ['start', 'call'] as ['start', 'call'] };
  const unfit = { ...unasked, missing: ['apiAccess'] as ['apiAccess'] };

  expect(firstLine(formatText(reportOf([{}, {}, asked, restart])))).toBe(
    '2 pass, 2 not asked: give --call, --start',
  );
  expect(firstLine(formatText(reportOf([{}, wrong, poor, unfit])))).toBe(
    '1 must failed, 1 should failed, 1 pass, 1 not for this manifest',
  );
  expect(firstLine(formatText(reportOf([{ ...wrong, known: true }])))).toBe('0 pass, 1 known');
});

test('a control that failed is the first line, and one group has the blocked checks', () => {
  const note = 'The first installation failed.';
  const ids = ['a.a', 'b.b', 'c.c', 'd.d', 'e.e', 'f.f', 'g.g'];
  const blocked = ids.map((id) => ({ id, verdict: 'blocked', note }) as const);
  const report = reportOf(blocked, { control: 'Unknown key. Does it trust us?' });

  const text = formatText(report);

  expect(text).toMatch(/^Not judged\. Unknown key\. Does it trust us\?\n0 pass, 7 blocked\n/);
  expect(text).toContain(
    'blocked   The first installation failed.\n          a.a, b.b, c.c, d.d, e.e and 2 more\n',
  );
  expect(formatText(report, { all: true })).toContain('e.e, f.f, g.g\n');
});

test('findings come most serious first, with what was seen, the fix and how to see more', () => {
  const text = formatText(reportOf([poor, {}, wrong]));

  expect(text).toContain(`
must      refuse.tampered  An event without exp is refused. (Spec §5.1)
          saw  It was answered with 201
          fix  Require exp.
          more dowel doctor http://localhost:3000/manifest.json --only refuse.tampered --trace
               dowel doctor --explain refuse.tampered

should    reception.json  An event`);
  expect(text).not.toContain('refuse.noExp');
  expect(formatText(reportOf([{}]), { all: true })).toContain('\npass      refuse.noExp  An event');
});

test('a note is shown and does not count', () => {
  const note = { id: 'manifest.lint', severity: 'note', note: 'Line 3: unknown' } as const;

  const text = formatText(reportOf([note, { severity: 'note' }]));

  expect(text).toMatch(/^2 pass\n\nnote {6}manifest\.lint .*\n {10}saw {2}Line 3: unknown\n/);
  expect(text).not.toContain('refuse.noExp');
});

test('what cannot be judged is always listed', () => {
  for (const each of notJudged) expect(formatText(reportOf([{}]))).toContain(`\n  - ${each}\n`);
});

test('a known finding is one word, and an outdated one says what to do', () => {
  const text = formatText(reportOf([{ ...wrong, known: true }], { outdated: ['key.rotated'] }));

  expect(text).toContain('\nknown     refuse.tampered\n');
  expect(text).toContain('\noutdated  key.rotated passes: remove it from the known findings.\n');
  expect(text).not.toContain('It was answered with 201');
});

test('only a terminal gets colours, and the words of a back end are no commands for it', () => {
  const report = reportOf([{ ...wrong, note: '\u001B[2Jcleared' }]);

  expect(formatText(report)).not.toContain('\u001B');
  expect(formatText(report, { colors: true })).toContain('\u001B[31mmust');
  expect(formatText(report, { colors: true })).not.toContain('\u001B[2J');
});

test('messages of a finding have a curl for each request to the back end', () => {
  const message = {
    method: 'POST',
    url: 'http://localhost:3000/events/install',
    headers: { 'content-type': 'text/plain', host: 'localhost:3000' },
    body: "it's [token]",
    status: 401,
    answer: '{"code":401}',
    fault: null,
    kind: 'event',
  };
  const exchanges = [
    { ...message, direction: 'out' as const },
    { ...message, direction: 'in' as const, status: null, answer: null, fault: 'token.hang' },
  ];

  const text = formatText(reportOf([{ ...wrong, exchanges }]));

  expect(text).toContain(`
          to the back end: POST http://localhost:3000/events/install
            content-type: text/plain
            host: localhost:3000
            it's [token]
            status 401
            {"code":401}
            curl -i -X POST -H 'content-type: text/plain' --data-raw 'it'\\''s [token]' 'http://localhost:3000/events/install'
          from the back end: POST http://localhost:3000/events/install (token.hang)
`);
  expect(text.match(/curl/g)).toHaveLength(1);
  expect(text).toContain('            no answer\n');
});
