import type { UndoneAction } from '@dowel/admin-api';

interface ApiFailureOptions extends ErrorOptions {
  requestId?: string | null | undefined;
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
  /** Why an action was not done. */
  readonly undone: UndoneAction | undefined;
  /** The server's log has the request under this id. Undefined when there was no answer. */
  readonly requestId: string | undefined;

  constructor(
    code: string,
    status: number,
    message: string,
    { undone, requestId, ...options }: ApiFailureOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.undone = undone;
    this.requestId = requestId ?? undefined;
  }
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiFailure && error.status === status;
}
