import type { StoreSettings } from '@dowel/installation-store';

/** The output of a command, in place of the process. A line never contains a secret. */
interface CommandContext {
  settings: StoreSettings;
  /** Writes results to standard output. */
  say(line: string): void;
  /** Writes errors and remaining tasks to standard error. */
  warn(line: string): void;
}

export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** Returns the exit code: 0 done, 1 refused or not completed. */
  run(context: CommandContext): Promise<number>;
}

/** A count with its noun: `1 value`, `12,000 values`. */
export function countOf(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}
