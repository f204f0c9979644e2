#!/usr/bin/env node
/** `dowel` as a process. */
import { describeFileError } from '@dowel/settings';
import { isDevCommand, runDevCommand } from './run-dev-command.ts';

// Files that this process creates are readable by their owner only, under any umask of the shell.
process.umask(0o077);

// A reader such as head may close the pipe early: the command completes all the same.
let isOutputLost = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || isOutputLost) return;
  isOutputLost = true;
  process.stderr.write(`The output cannot be written: ${describeFileError(error)}.\n`);
  process.exitCode = 1;
});

// When nobody reads it any more, there is no other place to report that.
process.stderr.on('error', () => {});

const args = process.argv.slice(2);
const say = (line: string) => void process.stdout.write(`${line}\n`);
const warn = (line: string) => void process.stderr.write(`${line}\n`);
const code = isDevCommand(args) ? await runDevCommand(args, { warn }) : await runOwnCommand();
process.exitCode ||= code;

/** Loaded only here, because it takes longer than a start of `dowel dev`. */
async function runOwnCommand(): Promise<number> {
  const { runCommandLine } = await import('./run-command-line.ts');
  const { env: environment } = process;
  return runCommandLine({ args, environment, envPath: '.env', say, warn });
}
