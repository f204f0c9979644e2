import { afterEach, expect, test, vi } from 'vitest';
import { createLogger } from './logger.ts';

afterEach(() => {
  vi.useRealTimers();
});

function createLog(level = 'info', now = () => 0) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) };
  return { lines, ...createLogger({ level, destination, now }) };
}

test('every line is limited at every level, and its count is reported', () => {
  const { logger, lines, endReports } = createLog();
  const err = new Error('the database is away');

  for (let round = 0; round < 1_000; round += 1) {
    logger.error({ err }, 'healing.failed');
    logger.error({ err }, 'unhandled.rejection');
    logger.warn({ reason: 'a' }, 'key_file.trouble');
    logger.info('plain');
    logger.error(err, 'an error in the first place');
  }
  expect(lines).toHaveLength(1 + 4 * 20);
  lines.length = 0;
  endReports();

  expect(lines.map(({ msg, suppressed, level }) => [msg, suppressed, level])).toEqual([
    ['healing.failed.more', 999, 50],
    ['unhandled.rejection.more', 980, 50],
    ['key_file.trouble.more', 980, 40],
    ['plain.more', 980, 30],
    ['an error in the first place.more', 980, 50],
  ]);
});

test('the counts are reported every minute, also if nothing else is logged', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'Date'] });
  const { logger, lines } = createLog('info', Date.now);
  for (let round = 0; round < 100; round += 1) logger.warn({ reason: 'r' }, 'event.refused');
  lines.length = 0;

  vi.advanceTimersByTime(5 * 60_000);

  expect(lines).toMatchObject([{ msg: 'event.refused.more', reason: 'r', suppressed: 80 }]);
});

test('a clock that is set back does not silence the log', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const lines: string[] = [];
  const { logger, endReports } = createLogger({
    level: 'info',
    destination: { write: (line: string) => lines.push(line) },
  });
  for (let round = 0; round < 30; round += 1) logger.error('operation.failed');
  expect(lines).toHaveLength(20);

  vi.setSystemTime(Date.now() - 2 * 60 * 60_000);
  vi.advanceTimersByTime(60_000);
  logger.error('operation.failed');

  expect(lines.length).toBeGreaterThan(20);
  endReports();
});

test('the counts are not reported any more when the reports have ended', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const { logger, lines, endReports } = createLog('info', Date.now);
  for (let round = 0; round < 30; round += 1) logger.warn({ reason: 'r' }, 'event.refused');
  lines.length = 0;

  endReports();

  expect(lines).toMatchObject([{ msg: 'event.refused.more', suppressed: 10 }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('an operation that fails all the time does not hide the failures of another', () => {
  const { logger, lines } = createLog();
  for (let round = 0; round < 30; round += 1) logger.error({ operation: 'a' }, 'operation.failed');

  logger.error({ operation: 'b' }, 'operation.failed');

  expect(lines.at(-1)).toMatchObject({ operation: 'b' });
});

test('a long text in a field does not distinguish lines', () => {
  const { logger, lines } = createLog();

  for (let round = 0; round < 50; round += 1) {
    logger.info({ reason: `${round} `.repeat(200) }, 'search.failed');
  }

  expect(lines).toHaveLength(20);
});

test('a log at level debug has every line', () => {
  const { logger, lines } = createLog('debug');

  for (let round = 0; round < 100; round += 1) logger.warn({ reason: 'r' }, 'event.refused');

  expect(lines.filter(({ level }) => level === 40)).toHaveLength(20);
  expect(lines.filter(({ level }) => level === 20)).toHaveLength(80);
});

test.each(['message', 'stack', 'code'])(
  'an error whose %s cannot be read is a line, too',
  (name) => {
    const { logger, lines } = createLog();
    const err = Object.defineProperty(new Error('Hi'), name, {
      get() {
        throw new Error('No');
      },
    });

    logger.error({ err, operation: 'vote' }, 'operation.failed');

    expect(lines).toMatchObject([{ msg: 'operation.failed', operation: 'vote' }]);
  },
);

test('an error with a code is one line without a stack; an unexpected error keeps its stack', () => {
  const { logger, lines } = createLog();
  const known = Object.assign(new Error('away'), { code: 'DATABASE_UNAVAILABLE' });
  const misuse = Object.assign(new TypeError('wrong'), { code: 'ERR_INVALID_ARG_TYPE' });

  for (const err of [known, misuse, new Error('what?')]) logger.error({ err }, 'request.failed');

  expect(lines.map(({ err }) => err)).toMatchObject([
    { type: 'Error', code: 'DATABASE_UNAVAILABLE', message: 'away' },
    { stack: expect.stringContaining('wrong') },
    { stack: expect.stringContaining('what?') },
  ]);
  expect(lines[0]?.err).not.toHaveProperty('stack');
});

test('the cause of a known error is named once', () => {
  const { logger, lines } = createLog();
  const cause = new Error('disk is full');
  const code = 'DATABASE_UNAVAILABLE';

  for (const message of ['The database cannot be used: disk is full', 'The database is away']) {
    logger.error({ err: Object.assign(new Error(message, { cause }), { code }) }, 'event.failed');
  }

  expect(lines.map(({ err }) => (err as Error).message)).toEqual([
    'The database cannot be used: disk is full',
    'The database is away: disk is full',
  ]);
});
