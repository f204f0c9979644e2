/**
 * A strict reader of JSON (RFC 8259) that keeps positions and explains errors. It continues after errors
 * that it understands, so that one run shows them all. `JSON.parse` gives no line and column, and silently takes the
 * last of two members of one name. jsonc-parser accepts duplicates and has no depth limit; json-source-map stops at
 * the first error.
 */
import { type JsonFault, UnreadableJsonError } from './json-fault.ts';
import type { JsonNode } from './json-node.ts';
import { JsonScanner } from './json-scanner.ts';

const maxDepth = 64;
const literals = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * @param positions `without`: the nodes have no children. It takes a fifth of the time, for bodies of requests.
 * @returns the value, if the text could be understood, and every fault in it.
 */
export function readJson(
  text: string,
  positions: 'with' | 'without' = 'with',
): { root?: JsonNode; faults: JsonFault[] } {
  const scanner = new JsonScanner(text, positions === 'with');
  const { faults } = scanner;
  try {
    if (scanner.peek() === '') scanner.stop('JSON_EMPTY', 'The text is empty.', 'Write JSON.');
    const root = readValue(scanner);
    if (scanner.peek() !== '')
      scanner.unexpected('the end of the text', 'Remove it and what follows.');
    return { root, faults };
  } catch (error) {
    if (!(error instanceof UnreadableJsonError)) throw error;
    return { faults };
  }
}

function readValue(scanner: JsonScanner): JsonNode {
  const first = scanner.peek();
  const { offset } = scanner;
  if ((first === '{' || first === '[') && scanner.path.length >= maxDepth) {
    const message = `This is nested deeper than ${maxDepth} levels.`;
    scanner.stop('JSON_TOO_DEEP', message, 'Remove the inner levels.');
  }
  if (first === '{') return readObject(scanner);
  if (first === '[') return readArray(scanner);
  if (first === '"') return { value: scanner.string(), offset };
  return { value: scanner.number() ?? readLiteral(scanner), offset };
}

function readLiteral(scanner: JsonScanner): unknown {
  const { offset } = scanner;
  const word = scanner.word();
  if (word === undefined) return scanner.unexpected('a value');
  if (literals.has(word)) return literals.get(word);
  const message = `Found the word ${word.slice(0, 40)}, which is not a JSON value.`;
  return scanner.stop('JSON_UNEXPECTED', message, 'Write texts in double quotes (").', offset);
}

function readArray(scanner: JsonScanner): JsonNode {
  const { offset } = scanner;
  const value: unknown[] = [];
  const children = scanner.keepsPositions ? new Map<number, JsonNode>() : undefined;
  readList(scanner, ['[', ']'], () => {
    scanner.path.push(value.length);
    const item = readValue(scanner);
    scanner.path.pop();
    children?.set(value.length, item);
    value.push(item.value);
  });
  return { value, offset, children };
}

function readObject(scanner: JsonScanner): JsonNode {
  const { offset } = scanner;
  const value: Record<string, unknown> = {};
  const children = scanner.keepsPositions ? new Map<string, JsonNode>() : undefined;
  readList(scanner, ['{', '}'], () => {
    const nameOffset = scanner.offset;
    const name = readName(scanner);
    scanner.path.push(name);
    reportName(scanner, name, nameOffset, Object.hasOwn(value, name));
    if (!scanner.take(':')) scanner.unexpected('":"');
    const member = readValue(scanner);
    scanner.path.pop();
    if (name === '__proto__') return;
    children?.set(name, { ...member, nameOffset });
    value[name] = member.value;
  });
  return { value, offset, children };
}

function readName(scanner: JsonScanner): string {
  if (scanner.peek() === '"') return scanner.string();
  const { offset } = scanner;
  const word = scanner.word();
  if (word === undefined) return scanner.unexpected('a name in double quotes');
  const message = `The name ${word.slice(0, 40)} has no quotes.`;
  return scanner.stop('JSON_UNEXPECTED', message, 'Write it in double quotes (").', offset);
}

function reportName(scanner: JsonScanner, name: string, offset: number, isKnown: boolean): void {
  if (name === '__proto__') {
    const message = 'No member may be named __proto__.';
    scanner.report('JSON_MEMBER_FORBIDDEN', message, 'Remove it.', offset);
  }
  if (isKnown) {
    const message = 'This object already has a member with this name.';
    scanner.report('JSON_MEMBER_DUPLICATE', message, 'Keep one of the two.', offset);
  }
}

/** The common part of objects and arrays: brackets, and commas between entries. */
function readList(
  scanner: JsonScanner,
  [open, close]: readonly [string, string],
  readEntry: () => void,
): void {
  scanner.take(open);
  if (scanner.take(close)) return;
  for (;;) {
    scanner.peek();
    readEntry();
    const end = { offset: scanner.offset };
    if (scanner.take(close)) return;
    const comma = scanner.offset;
    if (scanner.take(',')) {
      if (!scanner.take(close)) continue;
      const fix = 'Remove the comma.';
      scanner.report('JSON_TRAILING_COMMA', `A comma stands before "${close}".`, fix, comma);
      return;
    }
    if (!'"{['.includes(scanner.peek() || ' ')) scanner.unexpected(`"," or "${close}"`);
    const message = 'A comma is missing between two entries.';
    scanner.report('JSON_COMMA_MISSING', message, 'Add a comma here.', end.offset);
  }
}
