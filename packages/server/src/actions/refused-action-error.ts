import type { AuditMeaning } from '@dowel/admin-api';
import { ApiError, type ApiErrorCode } from '../base/errors.ts';

/** An action that is refused; `meaning` is what the audit keeps of the message. */
export class RefusedActionError extends ApiError {
  readonly meaning: AuditMeaning;

  constructor(code: ApiErrorCode, message: string, meaning: AuditMeaning) {
    super(code, message);
    this.meaning = meaning;
  }
}
