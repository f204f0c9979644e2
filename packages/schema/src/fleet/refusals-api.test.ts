import { describe, expect, test } from 'vitest';
import { findRefusalSpan, refusalsQuerySchema } from './refusals-api.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const now = Date.UTC(2026, 10, 22, 14, 32, 8);

const spanOf = (query: Record<string, string>) =>
  findRefusalSpan(refusalsQuerySchema.parse(query), now);

describe('the span of a report about refusals', () => {
  test.each([
    ['an hour', hourMs, 5 * minuteMs],
    ['a day', dayMs, 15 * minuteMs],
    ['a week', 7 * dayMs, 2 * hourMs],
    ['31 days', 31 * dayMs, 8 * hourMs],
  ])('of %s has whole bars, at most 97, and covers what was asked for', (_name, last, barMs) => {
    const span = spanOf({ last: String(last) });

    expect(span.barMs).toBe(barMs);
    expect((span.to - span.from) / barMs).toBeLessThanOrEqual(97);
    expect([span.from % barMs, span.to % barMs]).toEqual([0, 0]);
    expect(span.from).toBeLessThanOrEqual(now - last);
    expect(span.to).toBeGreaterThanOrEqual(now);
  });

  test('ends at the time asked for, and reaches back 31 days at most', () => {
    const span = spanOf({ from: '0', to: String(now) });
    expect(span.to - span.from).toBeLessThanOrEqual(31 * dayMs + 16 * hourMs);
    expect(spanOf({}).barMs).toBe(15 * minuteMs);
  });

  test.each([
    { from: '7', to: '7' },
    { from: '-1' },
    { to: 'x' },
    { last: '1' },
    { last: String(32 * dayMs) },
  ])('is refused: %j', (query) => {
    expect(refusalsQuerySchema.safeParse(query).success).toBe(false);
  });
});
