import type { Readable } from 'node:stream';

const maxLength = 16_384;

/**
 * Calls `onLine` with each line of a stream. A program may print megabytes without a line break: of a longer line only the
 * first 16,384 characters are kept, and how many were left out.
 */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let line = '';
  let left = 0;
  const end = () => {
    if (line || left) onLine(left ? `${line} … (${left} more characters)` : line);
    line = '';
    left = 0;
  };
  const add = (text: string) => {
    const kept = text.slice(0, maxLength - line.length);
    line += kept;
    left += text.length - kept.length;
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const [first = '', ...others] = chunk.split(/\r?\n/);
    add(first);
    for (const other of others) {
      end();
      add(other);
    }
  });
  stream.on('end', end);
}
