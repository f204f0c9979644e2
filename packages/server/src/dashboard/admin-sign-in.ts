/** The operator signs in by a one-time code. It is shown only where the BFF was started. */
import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '../errors.ts';
import { createOpaqueToken } from '../sessions/opaque-token.ts';

export type AdminSignIn = ReturnType<typeof createAdminSignIn>;

/** The part of a dashboard link that signs in. */
export interface SignInCode {
  code: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export interface AdminSignInOptions {
  /** Called with the next code after a code was used or came too late. Default: only one code exists. */
  announce?: (next: SignInCode) => void;
  /** Epoch milliseconds. */
  now?: () => number;
}

/** A link may stay in a terminal's history. After a day it no longer works. */
const codeLifetimeMs = 24 * 60 * 60 * 1000;

/** 256 random bits need no limit of attempts. A limit would let a stranger lock the operator out. */
export function createAdminSignIn({ announce, now = Date.now }: AdminSignInOptions = {}) {
  const createCode = (): SignInCode => ({
    code: createOpaqueToken(),
    expiresAt: now() + codeLifetimeMs,
  });
  const first = createCode();
  let valid: SignInCode | undefined = first;

  return {
    /** The first code. Show it once. */
    first,

    /** Uses the code up. @throws ApiError `SIGN_IN_FAILED`. */
    redeem(candidate: string): void {
      if (valid === undefined || !areEqual(candidate, valid.code)) {
        throw new ApiError('SIGN_IN_FAILED', 'The code is wrong or was used before');
      }
      const isLate = now() >= valid.expiresAt;
      valid = announce && createCode();
      if (valid) announce?.(valid);
      if (isLate) {
        throw new ApiError(
          'SIGN_IN_FAILED',
          'The link was too old: a fresh one is shown where Dowel was started',
        );
      }
    },
  };
}

function areEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
