import { expect, test } from 'vitest';
import { createServerLog } from './server-log.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;

test('a log of the program that throws loses the line and fails nobody', () => {
  const tried: unknown[] = [];
  const fail = (...line: [object | string, string?]) => {
    tried.push(line.at(-1));
    throw new Error('The disk is full');
  };
  const { log, endReports } = createServerLog({
    log: { debug: fail, info: fail, warn: fail, error: fail },
  });

  for (const level of levels) {
    log[level](`plain ${level}`);
    log[level]({ reason: 'r' }, `event ${level}`);
  }
  for (let line = 0; line < 30; line += 1) log.info('repeated');
  endReports();

  const lines = levels.flatMap((level) => [`plain ${level}`, `event ${level}`]);
  expect(tried).toEqual(expect.arrayContaining([...lines, 'repeated.more']));
});

test('a log of the program that rejects loses the line and fails nobody', async () => {
  const fail = async () => {
    throw new Error('The log server is away');
  };
  const { log } = createServerLog({ log: { debug: fail, info: fail, warn: fail, error: fail } });

  log.info('lost');

  // A rejection that nobody handles would fail the run.
  await new Promise((resolve) => setImmediate(resolve));
});
