/** The operator's way in: a one-time code, shown where the BFF was started and nowhere else. */
import { timingSafeEqual } from 'node:crypto';
import { ApiError } from './api-error.ts';
import { createOpaqueToken } from './opaque-token.ts';

const maxFailures = 10;
const failureWindowMs = 15 * 60 * 1000;

export type AdminSignIn = ReturnType<typeof createAdminSignIn>;

export function createAdminSignIn(now: () => number) {
  let code: string | undefined = createOpaqueToken();
  let failures: number[] = [];

  return {
    /** The code, to be printed once. */
    code,

    /** Uses the code up. @throws ApiError `SIGN_IN_FAILED` or `TOO_MANY_ATTEMPTS`. */
    redeem(candidate: string): void {
      failures = failures.filter((at) => at > now() - failureWindowMs);
      if (failures.length >= maxFailures) {
        throw new ApiError('TOO_MANY_ATTEMPTS', 'Too many attempts: try again in 15 minutes', {
          headers: { 'Retry-After': String(failureWindowMs / 1000) },
        });
      }
      if (code === undefined || !areEqual(candidate, code)) {
        failures.push(now());
        throw new ApiError('SIGN_IN_FAILED', 'The code is wrong or was used before');
      }
      code = undefined;
    },
  };
}

function areEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
