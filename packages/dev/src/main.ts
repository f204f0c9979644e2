#!/usr/bin/env node
/** `dowel-dev` as a process: `npx @dowel/dev emulator`. */
import { runDevCommand } from './run-dev-command.ts';

process.exitCode = await runDevCommand(process.argv.slice(2));
