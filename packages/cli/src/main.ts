#!/usr/bin/env node
/** `dowel` as a process. */
import { readPassword } from './read-password.ts';
import { runCommandLine } from './run-command-line.ts';

// Only their owner may read this process's files, also if the shell's umask allows more.
process.umask(0o077);

process.exitCode = await runCommandLine({
  args: process.argv.slice(2),
  environment: process.env,
  envPath: '.env',
  say: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
  readPassword,
});
