/** Row I06: the lines that a log of the program gets. */
import { afterEach, expect, test, vi } from 'vitest';
import type { Log } from './log.ts';
import { createServerLog } from './server-log.ts';

afterEach(() => void vi.restoreAllMocks());

/** A log that writes every line, at any level. */
function createList() {
  const lines: string[] = [];
  const write = (level: string) => (first: object | string, second?: string) =>
    lines.push(`${level} ${second ?? String(first)}`);
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { log, lines };
}

function repeat(log: Log): void {
  for (let count = 0; count < 200; count += 1) log.info({ count }, 'event.refused');
}

const twenty = Array<string>(20).fill('info event.refused');

test('I06: a log that does not say that debug is on gets no line above the limit, only their count', () => {
  const { log, lines } = createList();
  const bound = createServerLog({ log });

  repeat(bound.log);
  bound.endReports();

  expect(lines).toEqual([...twenty, 'info event.refused.more']);
});

test.each([true, false])('I06: a log that tells its level gets them at debug: %s', (isOn) => {
  const { log, lines } = createList();
  const bound = createServerLog({
    log: Object.assign(log, { isLevelEnabled: (level: string) => level === 'debug' && isOn }),
  });

  repeat(bound.log);
  bound.endReports();

  expect(lines.filter((line) => line === 'debug event.refused')).toHaveLength(isOn ? 180 : 0);
});

test('I06: the console, which would print debug lines, gets none', () => {
  const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
  const info = vi.spyOn(console, 'info').mockImplementation(() => {});
  const bound = createServerLog({ log: console });

  bound.log.debug('request');
  repeat(bound.log);
  bound.endReports();

  expect(debug).not.toHaveBeenCalled();
  expect(info).toHaveBeenCalledTimes(21);
});
