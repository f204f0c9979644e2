/** Why an action was not done, in words for the operator. */
import type { ActionFailureReason, ActionRefusalReason } from '@dowel/admin-api';

/** Why the action was not done, and what to do instead. */
export interface Explanation {
  why: string;
  instead: string;
}

/** The action makes no sense now. Nothing was done. */
export class ActionRefusedError extends Error {
  override readonly name = 'ActionRefusedError';
  readonly refusal: ActionRefusalReason;
  readonly explanation: Explanation;

  constructor(refusal: ActionRefusalReason, why: string, instead: string) {
    super(`${why} ${instead}`);
    this.refusal = refusal;
    this.explanation = { why, instead };
  }
}

export function unknownInstallation(): ActionRefusedError {
  const why = 'There is no such installation.';
  return new ActionRefusedError('unknown_installation', why, 'Search for it in the list.');
}

/** The action was tried, and the platform or its token endpoint did not do it. */
export class ActionFailedError extends Error {
  override readonly name = 'ActionFailedError';
  readonly failure: ActionFailureReason;
  readonly explanation: Explanation;
  /** The reason that the platform or the token endpoint gave. */
  readonly reason: string | undefined;

  constructor(
    failure: ActionFailureReason,
    { why, instead }: Explanation,
    { reason, ...options }: ErrorOptions & { reason?: string | undefined } = {},
  ) {
    super(`${why} ${instead}`, options);
    this.failure = failure;
    this.explanation = { why, instead };
    this.reason = reason;
  }
}
