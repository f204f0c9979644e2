/** Checks of options that are numbers. Without them, NaN would mean no limit in a comparison, and 0 ms in a timer. */

/**
 * The largest time that `setTimeout` and `AbortSignal.timeout` can wait: almost 25 days. With a longer one,
 * both end at once.
 */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Checks that an option is a number of milliseconds that a timer can wait.
 *
 * @throws TypeError that contains the option's name, its value and the allowed range.
 */
export function assertMilliseconds(ms: unknown, name: string): void {
  if (typeof ms === 'number' && ms >= 0 && ms <= maxTimerMs) return;
  throw new TypeError(
    `${name} must be a number of milliseconds from 0 to ${maxTimerMs}, not ${describeValue(ms)}`,
  );
}

/**
 * Checks that an option is a time limit: a whole number of milliseconds of at least 1. `AbortSignal.timeout` takes no
 * fraction, and 0 would end the work at once.
 *
 * @throws TypeError that contains the option's name, its value and the allowed range.
 */
export function assertTimeLimit(ms: unknown, name: string, longestMs = maxTimerMs): void {
  if (Number.isInteger(ms) && Number(ms) >= 1 && Number(ms) <= longestMs) return;
  throw new TypeError(
    `${name} must be a whole number of milliseconds from 1 to ${longestMs}, not ${describeValue(ms)}`,
  );
}

/**
 * Checks that an option is a whole number of at least 1.
 *
 * @throws TypeError that contains the option's name, its value and the allowed range.
 */
export function assertCount(count: unknown, name: string): void {
  if (Number.isSafeInteger(count) && Number(count) >= 1) return;
  throw new TypeError(
    `${name} must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, not ${describeValue(count)}`,
  );
}

/** A text looks like a number, so it is named as one. An object is not shown. */
function describeValue(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value)}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
