import { expect, test } from 'vitest';
import { bindLog } from './bind-log.ts';
import type { Log } from './log.ts';

function createBound() {
  const lines: unknown[] = [];
  const write = (...line: [object | string, string?]) => void lines.push(line);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  return { lines, bound: bindLog(log, { hook: 'installed' }) };
}

test('each line has the bound fields and its own', () => {
  const { bound, lines } = createBound();

  bound.info('Done');
  bound.warn({ count: 1 }, 'Slow');

  expect(lines).toEqual([
    [{ hook: 'installed' }, 'Done'],
    [{ hook: 'installed', count: 1 }, 'Slow'],
  ]);
});

test('an error in place of the fields stays an error', () => {
  const { bound, lines } = createBound();
  const err = new Error('The CRM is away');
  // As pino allows, too.
  const logAlone = bound.error as unknown as (error: Error) => void;

  bound.error(err, 'Sync failed');
  logAlone(err);

  expect(lines).toEqual([
    [{ hook: 'installed', err }, 'Sync failed'],
    [{ hook: 'installed', err }, 'The CRM is away'],
  ]);
});
