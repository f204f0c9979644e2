/** The end of a page of the list: the key of its last row, in a form that is opaque to callers. */
import { StoreError } from '../errors.ts';

type Key = readonly (string | number)[];

export function encodeCursor(key: Key): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** @throws StoreError `CURSOR_INVALID` when it is malformed, or of a list in another order. */
export function decodeCursor(cursor: string, kinds: readonly ('string' | 'number')[]): Key {
  const key = parse(cursor);
  if (!isKey(key, kinds)) {
    throw new StoreError('CURSOR_INVALID', 'after is not where a page of this list has ended');
  }
  return key;
}

function isKey(key: unknown, kinds: readonly string[]): key is Key {
  if (!Array.isArray(key) || key.length !== kinds.length) return false;
  return kinds.every((kind, index) => {
    const value: unknown = key[index];
    return kind === 'number'
      ? Number.isSafeInteger(value)
      : typeof value === 'string' && !value.includes('\0');
  });
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
