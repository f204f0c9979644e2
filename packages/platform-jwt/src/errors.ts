import { explainReason, type JwtReason, reasonGroups } from '@dowel/schema';

/** Every reason to refuse a JWT: a closed list, so that it can be logged and counted. */
export const platformJwtReasons = Object.keys(reasonGroups.jwt) as readonly PlatformJwtReason[];

export type PlatformJwtReason = JwtReason;

/**
 * Thrown by every verification that does not accept. The reason is for operators; the sender gets
 * only a generic text. The error does not contain the JWT, its claims or the key document.
 */
export class PlatformJwtError extends Error {
  override readonly name = 'PlatformJwtError';
  readonly reason: PlatformJwtReason;

  constructor(reason: PlatformJwtReason, options?: ErrorOptions) {
    super(`The JWT was not accepted: ${reason}`, options);
    this.reason = reason;
  }

  /** Whether the same JWT may be accepted later. */
  get retryable(): boolean {
    return explainReason(this.reason)?.isTemporary === true;
  }
}

/**
 * Converts any thrown value to a refusal, so that an error in a verification never accepts a JWT.
 *
 * @param reason used when `thrown` is not a refusal already
 */
export function toRefusal(thrown: unknown, reason: PlatformJwtReason): PlatformJwtError {
  return thrown instanceof PlatformJwtError
    ? thrown
    : new PlatformJwtError(reason, { cause: thrown });
}
