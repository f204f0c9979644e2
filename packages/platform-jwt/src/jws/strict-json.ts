/**
 * JSON without ambiguities: a text that two parsers could read differently is refused. `JSON.parse` uses
 * the last of two members of one name, and a name such as `__proto__` is dangerous for code that copies
 * the object. The objects here have no prototype.
 */

/** `syntax`: not JSON. `ambiguous`: JSON that is not accepted from strangers. Does not contain the input. */
export class StrictJsonError extends Error {
  override readonly name = 'StrictJsonError';
  readonly kind: 'syntax' | 'ambiguous';

  constructor(kind: 'syntax' | 'ambiguous', options?: ErrorOptions) {
    super(`Not acceptable as JSON: ${kind}`, options);
    this.kind = kind;
  }
}

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

const maxDepth = 8;
const prototypeNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Finds the end of a string; JSON.parse decodes its escapes. */
const stringToken = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const wordToken = /true|false|null/y;
/** White space (RFC 8259 §2). */
const spaces: ReadonlySet<string | undefined> = new Set([' ', '\t', '\n', '\r']);

/**
 * Parses one JSON text (RFC 8259). Refuses repeated names in any spelling, names of the
 * prototype, NUL characters, lone surrogates, numbers out of a double's range, and more than eight
 * levels.
 *
 * @throws StrictJsonError
 */
export function parseStrictJson(text: string): JsonValue {
  const reader = createReader(text);
  const value = readValue(reader, 1);
  if (!reader.isAtEnd()) throw new StrictJsonError('syntax');
  return value;
}

type Reader = ReturnType<typeof createReader>;

function createReader(text: string) {
  let position = 0;

  function match(token: RegExp): string | undefined {
    token.lastIndex = position;
    const [found] = token.exec(text) ?? [];
    if (found !== undefined) position += found.length;
    return found;
  }

  function skipSpace(): void {
    while (spaces.has(text[position])) position += 1;
  }

  return {
    match,
    /** Whether `character` comes next. Skips it, and white space around it. */
    skip(character: string): boolean {
      skipSpace();
      if (text[position] !== character) return false;
      position += 1;
      skipSpace();
      return true;
    },
    isAtEnd(): boolean {
      skipSpace();
      return position === text.length;
    },
  };
}

function readValue(reader: Reader, depth: number): JsonValue {
  if (depth > maxDepth) throw new StrictJsonError('ambiguous');
  if (reader.skip('{')) return readObject(reader, depth);
  if (reader.skip('[')) return readArray(reader, depth);
  const literal = reader.match(stringToken);
  if (literal !== undefined) return decodeString(literal);
  const number = reader.match(numberToken);
  if (number !== undefined) return decodeNumber(number);
  const word = reader.match(wordToken);
  if (word === undefined) throw new StrictJsonError('syntax');
  return word === 'null' ? null : word === 'true';
}

function readObject(reader: Reader, depth: number): JsonObject {
  const object: JsonObject = Object.create(null);
  if (reader.skip('}')) return object;
  do {
    const literal = reader.match(stringToken);
    if (literal === undefined || !reader.skip(':')) throw new StrictJsonError('syntax');
    const name = decodeString(literal);
    // control A12
    if (name in object || prototypeNames.includes(name)) throw new StrictJsonError('ambiguous');
    object[name] = readValue(reader, depth + 1);
  } while (reader.skip(','));
  if (!reader.skip('}')) throw new StrictJsonError('syntax');
  return object;
}

function readArray(reader: Reader, depth: number): JsonValue[] {
  const array: JsonValue[] = [];
  if (reader.skip(']')) return array;
  do {
    array.push(readValue(reader, depth + 1));
  } while (reader.skip(','));
  if (!reader.skip(']')) throw new StrictJsonError('syntax');
  return array;
}

function decodeString(literal: string): string {
  const value = parseStringLiteral(literal);
  if (value.includes('\0') || !value.isWellFormed()) throw new StrictJsonError('ambiguous');
  return value;
}

function parseStringLiteral(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch (cause) {
    throw new StrictJsonError('syntax', { cause });
  }
}

function decodeNumber(literal: string): number {
  const value = Number(literal);
  if (!Number.isFinite(value)) throw new StrictJsonError('ambiguous');
  return value;
}
