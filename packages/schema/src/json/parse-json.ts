/** JSON texts from strangers: a text that two readers could read differently is refused. */
import type { JsonFaultCode } from './json-fault.ts';
import { readJson } from './read-json.ts';
import { createTextPositions } from './text-positions.ts';

/** A text that is refused as JSON. The message says what is wrong, where, and how to fix it. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly code: JsonFaultCode;

  constructor(code: JsonFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Parses one JSON text (RFC 8259) of at most 64 levels. Unlike `JSON.parse` it refuses two members of
 * one name (some readers use the first, some the last) and a member named `__proto__`.
 *
 * @example
 * const read = () => parseJson('{ "scope": "a", "scope": "b" }'); // throws JsonError JSON_MEMBER_DUPLICATE
 *
 * @throws JsonError with a `JSON_…` code of docs/errors.md
 */
export function parseJson(text: string): unknown {
  const { root, faults } = readJson(text, 'without');
  const [fault] = faults;
  if (root && !fault) return root.value;
  if (!fault) throw new TypeError('A text without a value has a fault');
  const { line, column } = createTextPositions(text)(fault.offset);
  const { code, message, fix } = fault;
  throw new JsonError(code, `Line ${line}, column ${column}: ${message} ${fix}`);
}
