/** The operator's way in: a one-time code, shown where the BFF was started and nowhere else. */
import { timingSafeEqual } from 'node:crypto';
import { ApiError } from './api-error.ts';
import { createOpaqueToken } from './opaque-token.ts';

export type AdminSignIn = ReturnType<typeof createAdminSignIn>;

/** What a link to the dashboard holds. */
export interface SignInCode {
  code: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export interface AdminSignInOptions {
  /**
   * Called with the next code when one was used, since a session ends, or came too late. Default: there
   * is one code only.
   */
  announce?: (next: SignInCode) => void;
  /** Epoch milliseconds. */
  now?: () => number;
}

/** A link that stands in a terminal, or in what is kept of it, is worth nothing a day later. */
const codeLifetimeMs = 24 * 60 * 60 * 1000;

/** 256 random bits need no limit of tries, and a limit would let any stranger lock the operator out. */
export function createAdminSignIn({ announce, now = Date.now }: AdminSignInOptions = {}) {
  const createCode = (): SignInCode => ({
    code: createOpaqueToken(),
    expiresAt: now() + codeLifetimeMs,
  });
  const first = createCode();
  let valid: SignInCode | undefined = first;

  return {
    /** The first code, to be shown once. */
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
