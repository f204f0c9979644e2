#!/usr/bin/env node
/** `dowel` as a process. */
import { describeFileError } from '@dowel/settings';
import { runCommandLine } from './run-command-line.ts';

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

const code = await runCommandLine({
  args: process.argv.slice(2),
  environment: process.env,
  envPath: '.env',
  say: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
});
process.exitCode ||= code;
