import { styleText } from 'node:util';
import { plain } from '@dowel/conformance';
import type { DevLine } from './dev-line.ts';

const colors = { info: 'reset', warn: 'yellow', error: 'red' } as const;

/** Returns the line for a terminal: `12:03:04 event     install → 201 (54 ms)`. */
export function formatLine({ at, from, level, text, ms }: DevLine): string {
  const time = new Date(at).toTimeString().slice(0, 8);
  const took = ms === undefined ? '' : ` (${ms} ms)`;
  const words = `${plain(text)}${took}`.replaceAll('\n', '\n                   ');
  return `${styleText('dim', `${time} ${from.padEnd(9)}`)} ${styleText(colors[level], words)}`;
}
