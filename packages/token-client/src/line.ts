/** Lets a few of each kind pass at once; the others wait in the order they came. */

export type InLine = <Result>(kind: string, work: () => Promise<Result>) => Promise<Result>;

export function createLine(width: number): InLine {
  const lines = new Map<string, { inside: number; waiting: (() => void)[] }>();

  function lineOf(kind: string) {
    const line = lines.get(kind) ?? { inside: 0, waiting: [] };
    lines.set(kind, line);
    return line;
  }

  return async (kind, work) => {
    const line = lineOf(kind);
    if (line.inside < width) line.inside += 1;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next) next();
      else line.inside -= 1;
      if (line.inside === 0) lines.delete(kind);
    }
  };
}
