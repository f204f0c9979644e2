import { expect, test } from 'vitest';
import { formatLine } from './format-line.ts';

test('a line has its time, its source and how long it took, and no command for the terminal', () => {
  const at = new Date(2026, 10, 29, 7, 8, 9).getTime();
  const text = '\u001b[31minstall\u001b[0m → 201\u0007\u001b[2K\r';

  expect(formatLine({ at, from: 'event', level: 'info', text, ms: 54 })).toBe(
    '07:08:09 event     install → 201 (54 ms)',
  );
});
