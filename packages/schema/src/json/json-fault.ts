import type { JsonPath } from './json-pointer.ts';

/**
 * What a text has that JSON (RFC 8259) has not.
 *
 * - `JSON_EMPTY`, `JSON_CUT_OFF`: nothing there, or the end is missing.
 * - `JSON_BYTE_ORDER_MARK`, `JSON_COMMENT`, `JSON_TRAILING_COMMA`: other readers of the file stumble.
 * - `JSON_COMMA_MISSING`, `JSON_STRING_INVALID`, `JSON_UNEXPECTED`: a slip of the hand.
 * - `JSON_MEMBER_DUPLICATE`: readers differ in which of the two they take.
 * - `JSON_MEMBER_FORBIDDEN`: `__proto__`, which some readers take for more than a name.
 * - `JSON_TOO_DEEP`: nested deeper than any manifest.
 */
export type JsonFaultCode =
  | 'JSON_EMPTY'
  | 'JSON_CUT_OFF'
  | 'JSON_BYTE_ORDER_MARK'
  | 'JSON_COMMENT'
  | 'JSON_TRAILING_COMMA'
  | 'JSON_COMMA_MISSING'
  | 'JSON_STRING_INVALID'
  | 'JSON_UNEXPECTED'
  | 'JSON_MEMBER_DUPLICATE'
  | 'JSON_MEMBER_FORBIDDEN'
  | 'JSON_TOO_DEEP';

export interface JsonFault {
  code: JsonFaultCode;
  offset: number;
  /** The object or array in which it stands, or the member that it is. */
  path: JsonPath;
  message: string;
  fix: string;
}

/** Ends the reading: nothing behind the fault can be understood. */
export class UnreadableJsonError extends Error {
  override readonly name = 'UnreadableJsonError';
}
