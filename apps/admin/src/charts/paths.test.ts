import { describe, expect, it } from 'vitest';
import { areaPath, barsPath, linePath } from './paths.ts';
import { countScale, heightOf, shareScale, sparkScale } from './scale.ts';
import { boundsOf, combine, findRise, newestOf, widen } from './values.ts';

const scale = { min: 0, max: 10, lines: [] };

describe('a line', () => {
  it('goes through the middle of each step', () => {
    expect(linePath([0, 10, 5], scale)).toBe('M0.5 100L1.5 0L2.5 50');
  });

  it('is not drawn over a gap', () => {
    expect(linePath([1, 2, null, 3, 4], scale)).toBe('M0.5 90L1.5 80M3.5 70L4.5 60');
  });

  it('of one point fills its step', () => {
    expect(linePath([null, 5, null], scale)).toBe('M1 50L2 50');
  });

  it('of nothing is empty', () => {
    expect(linePath([], scale)).toBe('');
    expect(linePath([null, null], scale)).toBe('');
  });

  it('draws every point inside the box', () => {
    const huge = [0, Number.MAX_SAFE_INTEGER, 1e300, -5];

    expect(linePath(huge, countScale(huge))).toMatch(/^M0\.5 100L1\.5 100L2\.5 [\d.]+L3\.5 100$/);
    expect(linePath([11, 20], scale)).toBe('M0.5 0L1.5 0');
  });
});

describe('an area', () => {
  it('reaches the bottom, or the series below', () => {
    expect(areaPath([5, 10], scale)).toBe('M0.5 50L1.5 0L1.5 100L0.5 100Z');
    expect(areaPath([5, 10], scale, [1, 2])).toBe('M0.5 50L1.5 0L1.5 80L0.5 90Z');
  });

  it('has a part for each side of a gap', () => {
    expect(areaPath([5, null, 5], scale).match(/Z/g)).toHaveLength(2);
  });
});

describe('bars', () => {
  it('stand on each other, and zero and gaps have none', () => {
    expect(barsPath([0, 5, null], scale)).toBe('M1.12 100V50H1.88V100Z');
    expect(barsPath([0, 5, null], scale, [0, 2, 0])).toBe('M1.12 80V30H1.88V80Z');
  });
});

describe('a scale', () => {
  it.each([
    [0, [0, 1]],
    [0.4, [0, 1]],
    [2, [0, 1, 2]],
    [32, [0, 15, 30, 45]],
    [412, [0, 150, 300, 450]],
    [1_418, [0, 500, 1_000, 1_500]],
    [1_560, [0, 600, 1_200, 1_800]],
    [100_000, [0, 40_000, 80_000, 120_000]],
  ])('of counts up to %d starts at 0 and has at most four round lines', (highest, lines) => {
    expect(countScale([0, highest, null]).lines).toEqual(lines);
  });

  it('of huge counts has at most four lines', () => {
    for (const highest of [1e6 + 1, 987_654_321, Number.MAX_SAFE_INTEGER]) {
      const { lines, max } = countScale([highest]);
      expect(lines.length).toBeLessThanOrEqual(4);
      expect(max).toBeGreaterThanOrEqual(highest);
    }
  });

  it('of counts covers every series', () => {
    expect(countScale([1], [9], []).max).toBe(9);
  });

  it('of shares starts near the lowest', () => {
    expect(shareScale([0.9994, 1, null]).lines).toEqual([0.99, 0.995, 1]);
    expect(shareScale([0.93]).min).toBe(0.9);
    expect(shareScale([0.2]).min).toBe(0);
    expect(shareScale([]).min).toBe(0.99);
  });

  it('of a sparkline spans at least a tenth of the value', () => {
    const { min, max } = sparkScale([100, 101]);
    expect(max - min).toBeCloseTo(10.1);
    expect(sparkScale([5, 5]).max - 5).toBeCloseTo(0.25);
    expect(sparkScale([160, 412])).toMatchObject({ min: 160, max: 412 });
  });

  it('of a sparkline of zeros has them at the bottom', () => {
    expect(heightOf(sparkScale([0, 0]), 0)).toBe(0);
    expect(heightOf(sparkScale([null]), 0)).toBe(0);
  });
});

describe('a series', () => {
  it('has bounds and a newest value, without its gaps', () => {
    expect(boundsOf([3, null, 1])).toEqual({ min: 1, max: 3 });
    expect(boundsOf([null])).toBeUndefined();
    expect(newestOf([3, 0, null])).toBe(0);
    expect(newestOf([null])).toBeNull();
  });

  it('is combined with another where both are known', () => {
    expect(combine([5, null, 5], [1, 1, null], (a, b) => a - b)).toEqual([4, null, null]);
    expect(combine([0], [0], (a, b) => (b === 0 ? null : a / b))).toEqual([null]);
  });

  it('is widened by means of what is known, with whole newest steps', () => {
    expect(widen([9, 1, 3, null, 5, null, null], 2)).toEqual([2, 5, null]);
  });

  it('has a rise where it jumps, and none where it wavers', () => {
    expect(findRise([170, 171, 300, 412, 410])).toEqual({ index: 2, by: 241 });
    expect(findRise([0, 0, 4])).toEqual({ index: 2, by: 4 });
    expect(findRise([170, 175, 168, 172])).toBeUndefined();
    expect(findRise([0, 2, 2])).toBeUndefined();
    expect(findRise([5, null, 500])).toBeUndefined();
  });
});
