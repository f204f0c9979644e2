/** One line on a terminal, which changes with each result. */
import type { CheckResult } from '@dowel/conformance';

interface Progress {
  count(result: CheckResult): void;
  /** Removes the line. */
  clear(): void;
}

const clearLine = '\r\u001B[2K';

/** Without a terminal nothing is shown. @param total of checks */
export function showProgress(terminal: NodeJS.WriteStream | undefined, total: number): Progress {
  let done = 0;
  let findings = 0;
  return {
    count({ verdict }) {
      done += 1;
      if (verdict === 'fail' || verdict === 'warn') findings += 1;
      const found = findings === 1 ? '1 finding' : `${findings} findings`;
      terminal?.write(`${clearLine}${done} of ${total} checks, ${found}`);
    },
    clear: () => void terminal?.write(clearLine),
  };
}
