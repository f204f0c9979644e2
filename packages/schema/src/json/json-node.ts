/** A JSON value with its positions in the text. Offsets count UTF-16 units from the text's start. */
import type { JsonPath } from './json-pointer.ts';

export interface JsonNode {
  value: unknown;
  offset: number;
  /** Where the member's name begins; absent for items of arrays and for the whole. */
  nameOffset?: number;
  /** Members by name, or items by index. Undefined for other values, and if positions are not kept. */
  children?: Map<string | number, JsonNode> | undefined;
}

/** The offset of the value at `path`, or of its nearest parent that exists. */
export function offsetOf(root: JsonNode, path: JsonPath, part: 'name' | 'value'): number {
  let node = root;
  for (const name of path) {
    const child = node.children?.get(name);
    if (!child) return node.offset;
    node = child;
  }
  return part === 'name' ? (node.nameOffset ?? node.offset) : node.offset;
}
