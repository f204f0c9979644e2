import { describe, expect, it } from 'vitest';
import { listTicks, shareOf } from './time-axis.ts';

const at = (day: number, hour = 0, minute = 0) => new Date(2026, 10, day, hour, minute).getTime();

function read(from: number, to: number, maxCount?: number): string[] {
  return listTicks({ from, to }, maxCount).map(({ at: tick, isMidnight }) => {
    const date = new Date(tick);
    const minutes = String(date.getMinutes()).padStart(2, '0');
    return isMidnight ? `day ${date.getDate()}` : `${date.getHours()}:${minutes}`;
  });
}

describe('the ticks of a time axis', () => {
  it('stand at whole hours, and name the day at midnight', () => {
    expect(read(at(21, 14, 32), at(22, 14, 32))).toEqual([
      '16:00',
      '20:00',
      'day 22',
      '4:00',
      '8:00',
      '12:00',
    ]);
  });

  it('are at round minutes within an hour', () => {
    expect(read(at(22, 13, 32), at(22, 14, 32))).toEqual([
      '13:40',
      '13:50',
      '14:00',
      '14:10',
      '14:20',
      '14:30',
    ]);
  });

  it('are at midnights over a week, and every second one where there is little room', () => {
    const week = [at(15, 14), at(22, 14)] as const;
    expect(read(...week)).toEqual([16, 17, 18, 19, 20, 21, 22].map((day) => `day ${day}`));
    expect(read(...week, 4)).toEqual([16, 18, 20, 22].map((day) => `day ${day}`));
  });

  it('have a tick at the start of the span, but none at its end', () => {
    expect(read(at(22, 8), at(22, 12), 4)).toEqual(['8:00', '9:00', '10:00', '11:00']);
  });

  it.each([1, 3, 10, 50, 400])('are at most seven over %s days, and more than one', (days) => {
    const to = at(22, 14, 32);
    const { length } = read(to - days * 86_400_000, to);
    expect(length).toBeLessThanOrEqual(7);
    expect(length).toBeGreaterThan(1);
  });
});

it('a point in time has its share of the span', () => {
  expect(shareOf({ from: 100, to: 200 }, 125)).toBe(0.25);
});
