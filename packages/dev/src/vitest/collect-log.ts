import type { Log } from '@dowel/server';

export interface CollectedLog {
  log: Log;
  /** The newest 1,000 lines of the levels `info`, `warn` and `error`. */
  read(): string;
}

const kept = 1_000;

type Line = [first: object | string, message?: string];

/** Creates a log that keeps its lines. Errors are printed, too. */
export function collectLog(): CollectedLog {
  const lines: string[] = [];
  /** Returns the line. */
  const add = (level: string, [first, second]: Line) => {
    const fields = typeof first === 'string' ? {} : first;
    const line = JSON.stringify({ level, msg: second ?? first, ...fields }, describeErrors);
    lines.push(line);
    if (lines.length > kept) lines.shift();
    return line;
  };
  return {
    log: {
      debug: () => {},
      info: (...line: Line) => void add('info', line),
      warn: (...line: Line) => void add('warn', line),
      // biome-ignore lint/suspicious/noConsole: Vitest shows it with the name of the test
      error: (...line: Line) => console.error(add('error', line)),
    },
    read: () => lines.join('\n'),
  };
}

function describeErrors(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { stack, cause, code } = value as NodeJS.ErrnoException;
  return { stack, cause, code };
}
