export interface TextPosition {
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units as editors count. */
  column: number;
}

/** @returns finds line and column of an offset, in logarithmic time. */
export function createTextPositions(text: string): (offset: number) => TextPosition {
  const lineStarts = [0];
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n|\n|\r/g)) {
    lineStarts.push(index + lineBreak.length);
  }
  return (offset) => {
    let line = 0;
    let end = lineStarts.length;
    while (end - line > 1) {
      const middle = (line + end) >> 1;
      if ((lineStarts[middle] ?? 0) <= offset) line = middle;
      else end = middle;
    }
    return { line: line + 1, column: offset - (lineStarts[line] ?? 0) + 1 };
  };
}
