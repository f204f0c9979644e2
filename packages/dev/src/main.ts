#!/usr/bin/env node
/** `dowel-dev` as a process: `npx @dowel/dev emulator`. */
import { runDevCommand } from './run-dev-command.ts';

// A reader such as head may close a pipe early: that is no failure.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exitCode = await runDevCommand(process.argv.slice(2));
