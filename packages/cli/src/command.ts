import type { StoreSettings } from '@dowel/installation-store';
import type { Environment } from '@dowel/settings';

/** The input and output of a command. A line never contains a secret. */
export interface CommandContext {
  settings: StoreSettings;
  /** All settings, from the environment and `.env`. */
  environment: Environment;
  /** The arguments, as many as `takes` names. */
  args: readonly string[];
  /** The values of the command's options that were given. */
  options: Readonly<Record<string, string | undefined>>;
  /** From a terminal without echo, or from standard input. */
  readPassword(): Promise<string>;
  /** Writes results to standard output. */
  say(line: string): void;
  /** Writes errors and remaining tasks to standard error. */
  warn(line: string): void;
}

export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** The names of its arguments. Default: none. */
  takes?: readonly string[];
  /** The names of its options, each with a value. Default: none. */
  options?: readonly string[];
  /** Returns the exit code: 0 done, 1 refused or not completed. */
  run(context: CommandContext): Promise<number>;
}

/** A count with its noun: `1 value`, `12,000 values`. */
export function countOf(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}
