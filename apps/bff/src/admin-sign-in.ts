/** The operator's way in: a one-time code, shown where the BFF was started and nowhere else. */
import { timingSafeEqual } from 'node:crypto';
import { ApiError } from './api-error.ts';
import { createOpaqueToken } from './opaque-token.ts';

export type AdminSignIn = ReturnType<typeof createAdminSignIn>;

/**
 * 256 random bits need no limit of tries, and a limit would let any stranger lock the operator out.
 *
 * @param announce is given the next code when one was used: a session ends, and the operator must come in
 *   again. Without it there is only one.
 */
export function createAdminSignIn(announce?: (code: string) => void) {
  let code: string | undefined = createOpaqueToken();

  return {
    /** The code, to be printed once. */
    code,

    /** Uses the code up. @throws ApiError `SIGN_IN_FAILED`. */
    redeem(candidate: string): void {
      if (code === undefined || !areEqual(candidate, code)) {
        throw new ApiError('SIGN_IN_FAILED', 'The code is wrong or was used before');
      }
      code = announce && createOpaqueToken();
      if (code !== undefined) announce?.(code);
    },
  };
}

function areEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
