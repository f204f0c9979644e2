/** What `setTimeout` and `AbortSignal.timeout` can count to: almost 25 days. They take more for nothing. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Checks an option that is a time in milliseconds. Without the check NaN would count as no limit where
 * it is compared, and as no time at all where a timer gets it.
 *
 * @throws TypeError that names the option.
 */
export function assertMilliseconds(ms: number, name: string): void {
  if (typeof ms === 'number' && ms >= 0 && ms <= maxTimerMs) return;
  throw new TypeError(`${name} must be a number of milliseconds from 0 to ${maxTimerMs}`);
}
