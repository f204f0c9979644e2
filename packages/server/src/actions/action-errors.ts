/** Why an action was not done, in words for the operator. */
import type { ActionRefusalReason } from '@dowel/schema';

/** Why not, and what to do instead. */
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

/** The action was tried, and the platform or its token endpoint did not do it. */
export class ActionFailedError extends Error {
  override readonly name = 'ActionFailedError';
  readonly explanation: Explanation;

  constructor(why: string, instead: string, options?: ErrorOptions) {
    super(`${why} ${instead}`, options);
    this.explanation = { why, instead };
  }
}
