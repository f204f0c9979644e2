import { expect, test } from 'vitest';
import { createLineLimit, type LogLine, windowMs } from './line-limit.ts';

const refused = (reason: string): LogLine => ({
  name: 'event.refused',
  level: 40,
  kind: { reason },
});

function countAdmitted(admit: (line: LogLine) => boolean, line: LogLine, times: number): number {
  return Array.from({ length: times }, () => admit(line)).filter(Boolean).length;
}

test('a kind has twenty lines a minute, and another kind has its own', () => {
  const { admit } = createLineLimit(() => 0);

  expect(countAdmitted(admit, refused('expired'), 50)).toBe(20);
  expect(countAdmitted(admit, refused('signature_invalid'), 50)).toBe(20);
});

test('a flood that goes on has one line a minute, and a new one twenty again', () => {
  let at = 0;
  const { admit, takeSuppressed } = createLineLimit(() => at);
  const admitted = [];

  for (const perMinute of [500, 500, 500, 3, 500]) {
    admitted.push(countAdmitted(admit, refused('expired'), perMinute));
    at += windowMs;
    takeSuppressed();
  }

  expect(admitted).toEqual([20, 1, 1, 1, 20]);
});

test('what is suppressed is counted, and every count is reported once', () => {
  let at = 0;
  const { admit, takeSuppressed } = createLineLimit(() => at);
  countAdmitted(admit, refused('expired'), 50);
  expect(takeSuppressed()).toEqual([]);

  at = windowMs;
  expect(takeSuppressed()).toEqual([{ ...refused('expired'), suppressed: 30 }]);
  countAdmitted(admit, refused('expired'), 10);
  expect(takeSuppressed()).toEqual([]);

  expect(takeSuppressed(true)).toEqual([{ ...refused('expired'), suppressed: 9 }]);
  expect(takeSuppressed(true)).toEqual([]);
});

test('the count of completed work restarts every minute', () => {
  let at = 0;
  const { admit } = createLineLimit(() => at);
  const request: LogLine = { name: 'request', level: 30, kind: { route: '/a', status: 201 } };
  const admitted = [];

  for (let minute = 0; minute < 3; minute += 1) {
    admitted.push(countAdmitted(admit, request, 1_000));
    at += windowMs;
  }

  expect(admitted).toEqual([600, 600, 600]);
});

test('many kinds of one name share one limit and do not affect other names', () => {
  const { admit, takeSuppressed } = createLineLimit(() => 0);

  const admitted = Array.from({ length: 5_000 }, (_, kind) => admit(refused(`made up ${kind}`)));

  expect(admitted.filter(Boolean)).toHaveLength(100 + 20);
  for (const reason of ['expired', 'unknown']) {
    expect(countAdmitted(admit, { ...refused(reason), name: 'request.refused' }, 50)).toBe(20);
  }
  expect(takeSuppressed(true)).toContainEqual({
    name: 'event.refused',
    level: 40,
    kind: {},
    suppressed: 5_000 - 100 - 20,
  });
});

test('a name gets its kinds back when their windows end', () => {
  let at = 0;
  const { admit, takeSuppressed } = createLineLimit(() => at);
  for (let kind = 0; kind < 5_000; kind += 1) admit(refused(`made up ${kind}`));

  at = 2 * windowMs;
  takeSuppressed();

  expect(countAdmitted(admit, refused('expired'), 50)).toBe(20);
  expect(countAdmitted(admit, refused('unknown'), 50)).toBe(20);
});

const said = (name: string): LogLine => ({ name, level: 30, kind: {} });

test('texts above a thousand share one limit, and our own lines keep theirs', () => {
  const { admit, takeSuppressed } = createLineLimit(() => 0);

  const admitted = Array.from({ length: 5_000 }, (_, text) => admit(said(`search text ${text}`)));

  expect(admitted.filter(Boolean)).toHaveLength(1_000 + 20);
  expect(countAdmitted(admit, refused('expired'), 50)).toBe(20);
  expect(takeSuppressed(true)).toContainEqual({
    ...said('other.lines'),
    suppressed: 5_000 - 1_000 - 20,
  });
});

test('a text that is too long to keep has the shared limit', () => {
  const { admit, takeSuppressed } = createLineLimit(() => 0);

  for (const letter of ['a', 'b']) countAdmitted(admit, said(letter.repeat(1_000)), 15);

  expect(takeSuppressed(true)).toEqual([{ ...said('other.lines'), suppressed: 10 }]);
});

test('a name is forgotten when its windows end, so another one gets its place', () => {
  let at = 0;
  const { admit, takeSuppressed } = createLineLimit(() => at);
  for (let text = 0; text < 5_000; text += 1) admit(said(`search text ${text}`));

  at = 2 * windowMs;
  takeSuppressed();

  const others = ['search soup', 'search bread', 'search cheese'];
  expect(others.map((name) => countAdmitted(admit, said(name), 50))).toEqual([20, 20, 20]);
});
