import { describe, expect, it } from 'vitest';
import { formatAgo, formatRemaining } from './format-time.ts';

describe('a remaining time', () => {
  it.each([
    [400, '1 s'],
    [38_000, '38 s'],
    [59_400, '1 min 00 s'],
    [3_596_000, '59 min 56 s'],
    [3_600_000, '1 h 00 min'],
    [7_440_000, '2 h 04 min'],
    [273_600_000, '3 d 4 h'],
  ])('of %i ms reads %s', (ms, words) => {
    expect(formatRemaining(ms)).toBe(words);
  });
});

describe('a time that has passed', () => {
  it.each([
    [-3_000, 'just now'],
    [38_000, '38 s ago'],
    [7_200_000, '2 h ago'],
  ])('of %i ms reads %s', (ms, words) => {
    expect(formatAgo(ms)).toBe(words);
  });
});
