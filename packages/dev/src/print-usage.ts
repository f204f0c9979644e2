/** Where a command that ends at once writes its lines. */
export interface Output {
  /** To standard output. */
  say(line: string): void;
  /** To standard error. */
  warn(line: string): void;
}

const misused = 2;

/** Prints how a command is used, after the mistake in its call. Returns the exit code. @param problem '' for help */
export function printUsage(
  problem: string,
  { usage, say, warn }: Output & { usage: string },
): number {
  if (problem === '') {
    say(usage);
    return 0;
  }
  // Without Node's advice about arguments that begin with a hyphen: no command takes one.
  warn(`${problem.replace(/\. To specify .*/s, '.')}\n\n${usage}`);
  return misused;
}
