/**
 * The tokens of JSON: blanks, strings, numbers, punctuation. Reports a comment and continues after it;
 * stops at anything else that cannot be read.
 */
import { type JsonFault, type JsonFaultCode, UnreadableJsonError } from './json-fault.ts';

const blanks = /[ \t\n\r]*/y;
const plain = String.raw`[^"\\\u0000-\u001F]*`;
const string = new RegExp(
  String.raw`"${plain}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})${plain})*"`,
  'y',
);
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const word = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const lineComment = /\/\/[^\n\r]*/y;
const blockComment = /\/\*.*?\*\//sy;
/** More faults would not help, and would use memory. */
const maxFaults = 100;
const doubleQuotes = 'Write double quotes (").';

export class JsonScanner {
  readonly #text: string;
  readonly keepsPositions: boolean;
  readonly faults: JsonFault[] = [];
  /** The path of the value that is being read. */
  readonly path: (string | number)[] = [];
  offset = 0;

  constructor(text: string, keepsPositions: boolean) {
    this.#text = text;
    this.keepsPositions = keepsPositions;
    if (text.startsWith('\uFEFF')) {
      const fix = 'Save the file as "UTF-8" without BOM.';
      this.report('JSON_BYTE_ORDER_MARK', 'The file begins with a byte order mark.', fix);
      this.offset = 1;
    }
  }

  /** Records a fault and continues. */
  report(code: JsonFaultCode, message: string, fix: string, offset = this.offset): void {
    this.faults.push({ code, offset, path: [...this.path], message, fix });
    if (this.faults.length >= maxFaults) throw new UnreadableJsonError();
  }

  stop(code: JsonFaultCode, message: string, fix: string, offset = this.offset): never {
    this.report(code, message, fix, offset);
    throw new UnreadableJsonError();
  }

  /** The next character outside of blanks and comments; empty at the end. */
  peek(): string {
    // Most tokens follow each other directly. A pattern would take longer to find that.
    if (!isSkipped(this.#text.charCodeAt(this.offset))) return this.#text.charAt(this.offset);
    this.#match(blanks);
    while (this.#text.startsWith('//', this.offset) || this.#text.startsWith('/*', this.offset)) {
      this.#skipComment();
      this.#match(blanks);
    }
    return this.#text.charAt(this.offset);
  }

  take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.offset += 1;
    return true;
  }

  string(): string {
    const quoted = this.#match(string);
    if (quoted !== undefined) return JSON.parse(quoted) as string;
    return this.stop(
      'JSON_STRING_INVALID',
      'This string does not end on its line, or contains a character that must be escaped.',
      'Close it with ", and write \\n, \\t, \\\\ and \\" for line break, tab, backslash and quote.',
    );
  }

  number(): number | undefined {
    const digits = this.#match(number);
    return digits === undefined ? undefined : Number(digits);
  }

  word(): string | undefined {
    return this.#match(word);
  }

  /** @param expected such as `a value`. */
  unexpected(expected: string, fix = `Remove it, or write ${expected} in its place.`): never {
    const found = this.#text.codePointAt(this.offset);
    if (found === undefined) {
      return this.stop(
        'JSON_CUT_OFF',
        `The text ends where ${expected} is expected.`,
        'Look for a missing "}", "]" or quote; the rest of the file may be lost.',
      );
    }
    const character = String.fromCodePoint(found);
    const message = `Found ${nameOf(character)} where ${expected} is expected.`;
    return this.stop('JSON_UNEXPECTED', message, character === "'" ? doubleQuotes : fix);
  }

  #skipComment(): void {
    const offset = this.offset;
    if (this.#match(lineComment) === undefined && this.#match(blockComment) === undefined) {
      this.stop('JSON_CUT_OFF', 'This comment does not end.', 'Remove it: JSON has no comments.');
    }
    this.report('JSON_COMMENT', 'JSON has no comments.', 'Remove the comment.', offset);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.offset;
    const found = pattern.exec(this.#text)?.[0];
    this.offset += found?.length ?? 0;
    return found;
  }
}

/** Whether this may be a blank, or begin a comment. */
function isSkipped(code: number): boolean {
  return code <= 0x20 || code === 0x2f;
}

function nameOf(character: string): string {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? JSON.stringify(character) : `U+${code}`;
}
