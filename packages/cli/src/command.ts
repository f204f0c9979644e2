import type { StoreSettings } from '@dowel/installation-store';
import type { Environment } from '@dowel/settings';

/** The input and output of a command. A line never contains a secret. */
export interface CommandContext {
  settings: StoreSettings;
  /** All settings, from the environment and `.env`. */
  environment: Environment;
  /** The arguments, at most as many as `takes` names. */
  args: readonly string[];
  /** The values of the command's options that were given. */
  options: Readonly<Record<string, string | undefined>>;
  /** The flags that were given. */
  flags: ReadonlySet<string>;
  /** Writes results to standard output. */
  say(line: string): void;
  /** Writes an answer to standard output: as JSON with `--json` or `--format json`, else as these lines. */
  print(answer: object, lines: () => Iterable<string>): void;
  /** Writes errors and remaining tasks to standard error. */
  warn(line: string): void;
}

export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** The names of its arguments. One in brackets may be left out. Default: none. */
  takes?: readonly string[];
  /** The names of its options, each with a value. Default: none. */
  options?: readonly string[];
  /** The names of its options without a value. Default: none. */
  flags?: readonly string[];
  /** It needs no settings: `.env` is not read, and the settings in its context are the defaults. Default: false. */
  ignoresSettings?: boolean;
  /** It prints with `print`, so it has the option `--json`. Default: false. */
  hasJson?: boolean;
  /** Returns the exit code: 0 done, 1 refused or not completed. @throws MisuseError */
  run(context: CommandContext): Promise<number>;
}

/** An argument or option has a wrong value. The message names it. */
export class MisuseError extends Error {
  override readonly name = 'MisuseError';
}

/** ISO 8601, in UTC. */
export function timeOf(at: number): string {
  return new Date(at).toISOString();
}

/** Epoch milliseconds of a date or time in ISO 8601. @throws MisuseError that names the option */
export function parseTime(option: string, text: string): number {
  const [date = ''] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  const at = isDay(date) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new MisuseError(`--${option} must be a date, such as 2027-01-31`);
  }
  return at;
}

/** `Date.parse` reads 2027-02-31 as 3 March. */
function isDay(date: string): boolean {
  const at = Date.parse(date);
  return !Number.isNaN(at) && timeOf(at).startsWith(date);
}

/** A count with its noun: `1 value`, `12,000 values`. */
export function countOf(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}
