import type { StoreSettings } from '@dowel/installation-store';

/** What a command gets in place of the process. A line never contains a secret. */
interface CommandContext {
  settings: StoreSettings;
  /** Results: standard output. */
  say(line: string): void;
  /** Errors, and what is left to do: standard error. */
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
