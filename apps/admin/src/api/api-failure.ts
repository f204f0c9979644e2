import type { UndoneAction } from '@dowel/schema';

interface ApiFailureOptions extends ErrorOptions {
  undone?: UndoneAction | undefined;
}

/**
 * A request to the BFF that failed. `code` is the BFF's, or:
 * - `UNREACHABLE`: no answer arrived. Try again.
 * - `ANSWER_INVALID`: an answer outside of the contract. Try again after an update.
 */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: string;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Of an action that was not done: why. */
  readonly undone: UndoneAction | undefined;

  constructor(
    code: string,
    status: number,
    message: string,
    { undone, ...options }: ApiFailureOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.undone = undone;
  }
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiFailure && error.status === status;
}
