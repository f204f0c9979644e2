#!/usr/bin/env node
/** `dowel`: reads the settings as the back end does, runs one command, and ends with its exit code. */
import { parseArgs } from 'node:util';
import { readStoreSettings, StoreError } from '@dowel/installation-store';
import { describeUnknownSettings, readEnvironment } from '@dowel/settings';
import type { Command } from './command.ts';
import { createKey, pruneKeys, rotateKeys, showKeys } from './keys.ts';
import { reencrypt } from './reencrypt.ts';

const misused = 2;

const commands: Record<string, Command> = {
  'keys create': createKey,
  'keys rotate': rotateKeys,
  'keys list': showKeys,
  'keys prune': pruneKeys,
  reencrypt,
};

const usage = `Usage: pnpm dowel <command>

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`)
  .join('\n')}

Settings: DOWEL_DATA_DIR, DOWEL_KEY_FILE and DOWEL_DATABASE_URL, from the environment, or from .env of the
working folder.
Exit code: 0 done, 1 refused or not all done, ${misused} no such command.
`;

const say = (line: string) => void process.stdout.write(`${line}\n`);
const warn = (line: string) => void process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  // Only their owner may read this process's files, also if the shell's umask allows more.
  process.umask(0o077);
  const { command, wantsHelp, problem } = parseCommandLine(process.argv.slice(2));
  if (wantsHelp) {
    process.stdout.write(usage);
    return 0;
  }
  if (!command) {
    process.stderr.write(`${problem}\n\n${usage}`);
    return misused;
  }
  const environment = readEnvironment();
  const unknown = describeUnknownSettings(environment, ['DOWEL']);
  if (unknown.length > 0) throw new SyntaxError(unknown.join('\n'));
  return command.run({ settings: readStoreSettings(environment), say, warn });
}

/** Strict: an unknown option may have been meant to prevent the command's effect, such as `--dry-run`. */
function parseCommandLine(args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    });
    const name = positionals.join(' ');
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    const problem = name === '' ? 'Which command?' : `There is no command "${name}".`;
    return { command, wantsHelp: values.help === true, problem };
  } catch (error) {
    return { wantsHelp: false, problem: (error as Error).message };
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const isExpected = error instanceof StoreError || error instanceof SyntaxError;
  warn(isExpected ? error.message : String((error as Error).stack ?? error));
  process.exitCode = 1;
}
