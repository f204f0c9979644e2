/** A copy without its history, such as an unpacked archive, has no commits to check. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from './run-step.ts';

const { status, stdout } = spawnSync('git', ['log', '-20', '--format=%s'], {
  cwd: root,
  encoding: 'utf8',
});

test.skipIf(status !== 0)('the subjects of the newest commits are short, and name a scope', () => {
  const subjects = stdout.trim().split('\n');

  expect(subjects.filter((subject) => subject.length > 72)).toEqual([]);
  expect(subjects.filter((subject) => !/^[a-z]+(?:\([a-z0-9-]+\))?: [a-z]/.test(subject))).toEqual(
    [],
  );
});
