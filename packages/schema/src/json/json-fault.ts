import type { JsonPath } from './json-pointer.ts';

/**
 * Why a text is not valid JSON (RFC 8259).
 *
 * - `JSON_EMPTY`, `JSON_CUT_OFF`: the text is empty, or its end is missing.
 * - `JSON_BYTE_ORDER_MARK`, `JSON_COMMENT`, `JSON_TRAILING_COMMA`: other readers of the file may fail.
 * - `JSON_COMMA_MISSING`, `JSON_STRING_INVALID`, `JSON_UNEXPECTED`: a typing error.
 * - `JSON_MEMBER_DUPLICATE`: readers differ in which of the two members they use.
 * - `JSON_MEMBER_FORBIDDEN`: `__proto__`, which has a special meaning for some readers.
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
  /** The object or array that contains the fault, or the member itself. */
  path: JsonPath;
  message: string;
  fix: string;
}

/** Ends the reading: the text after the fault cannot be understood. */
export class UnreadableJsonError extends Error {
  override readonly name = 'UnreadableJsonError';
}
