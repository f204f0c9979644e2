/**
 * Paths of the platform's API (threat H01). A path that is put together at run time comes from the tag `path`,
 * which encodes each value; a literal is taken as it is written. Every path is checked before anything is sent.
 */
import { hasDotSegment } from '@dowel/schema';

/** A path with encoded values, made by {@link path}. */
export class PlatformPath {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** @throws TypeError when the path could leave the API. */
  static of(parts: TemplateStringsArray, values: readonly (string | number)[]): PlatformPath {
    const text = parts.reduce((all, part, index) => `${all}${encode(values[index - 1])}${part}`);
    // A `%2F` from the tag is part of a value. The literal parts must not contain one.
    for (const part of parts) assertNoEncodedSeparator(part);
    assertPlainPath(text);
    assertNoFolder(text, parts);
    return new PlatformPath(text);
  }

  /** A text whose values are encoded already. @throws TypeError as {@link PlatformPath.of} */
  static encoded(text: string): PlatformPath {
    assertPlainPath(text);
    return new PlatformPath(text);
  }

  toString(): string {
    return this.#text;
  }
}

/**
 * `P`, if it is a literal. A template with a value is `never`: `path` encodes its values.
 */
export type LiteralPath<P extends string> = string extends P
  ? never
  : // biome-ignore lint/complexity/noBannedTypes: only a template with a value has no required key
    {} extends Record<P, 1>
    ? never
    : P;

/**
 * A path of the platform's API with values, each of which is encoded and stays one segment or one value of the
 * query.
 *
 * @example
 * const response = await platform.fetch(path`/api/users/${userId}/badges?page=${page}`);
 *
 * @throws TypeError for a value that no encoding keeps in its place: `.`, `..`, or an empty segment.
 */
export function path(
  parts: TemplateStringsArray,
  ...values: readonly (string | number)[]
): PlatformPath {
  return PlatformPath.of(parts, values);
}

/**
 * The text of a path that is safe to append to a tenant's address.
 *
 * @throws TypeError when the path could lead elsewhere. Contains no part of it.
 */
export function checkPath(given: string | PlatformPath): string {
  if (given instanceof PlatformPath) return given.toString();
  const text: unknown = given;
  if (typeof text !== 'string') refuse('is not a string');
  assertNoEncodedSeparator(text);
  assertPlainPath(text);
  return text;
}

/** With an empty value at its end, the path would be that of the folder: `/users/` for `/users/${id}`. */
function assertNoFolder(text: string, parts: readonly string[]): void {
  const [plain = ''] = text.split('?', 1);
  const last = parts.find((part) => part.includes('?')) ?? parts.at(-1) ?? '';
  const endsWithValue = last === '' || last.startsWith('?');
  if (endsWithValue && plain.endsWith('/')) refuse('has an empty segment');
}

/** In JavaScript, a value that is missing would become a text such as `undefined`. */
function encode(value: unknown): string {
  if (typeof value !== 'string' && !Number.isFinite(value)) {
    refuse('has a value that is no text and no number');
  }
  try {
    // control H14
    return encodeURIComponent(String(value));
  } catch {
    return refuse('has a value with half a character (a lone surrogate)');
  }
}

/** A server may decode it before it reads the path, and then see another path. */
function assertNoEncodedSeparator(text: string): void {
  const [plain = ''] = text.split('?', 1);
  if (/%(?:2f|5c|00|3f|23)/i.test(plain)) refuse('has an encoded separator');
}

const pathCharacters = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/;
const queryCharacters = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?[\]|^-]|%[0-9A-Fa-f]{2})*$/;

function assertPlainPath(text: string): void {
  const queryAt = text.indexOf('?');
  const plain = queryAt === -1 ? text : text.slice(0, queryAt);
  const query = queryAt === -1 ? '' : text.slice(queryAt + 1);
  if (!plain.startsWith('/')) refuse('does not begin with one slash');
  if (plain.includes('//')) refuse('has an empty segment');
  if (plain.includes('\\')) refuse('has a backslash');
  if (text.includes('#')) refuse('has a fragment');
  if (hasDotSegment(plain)) refuse('has a segment that is . or ..');
  if (!pathCharacters.test(plain)) refuse('has a character that must be encoded');
  if (!queryCharacters.test(query)) refuse('has a query with a character that must be encoded');
}

function refuse(why: string): never {
  throw new TypeError(
    `The path ${why}. Write a path such as '/api/users', and values with the tag path\`…\`.`,
  );
}
