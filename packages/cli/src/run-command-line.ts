/** One call of `dowel`: reads the settings as the back end does, runs one command, and returns its exit code. */
import { parseArgs } from 'node:util';
import { readStoreSettings, StoreError } from '@dowel/installation-store';
import { describeUnknownSettings, type Environment, readEnvironment } from '@dowel/settings';
import { actionUsage, isActionCommand, runActionCommand } from './action-command.ts';
import type { Command } from './command.ts';
import { createKey, pruneKeys, rotateKeys, showKeys } from './keys.ts';
import { reencrypt } from './reencrypt.ts';
import { signIn } from './sign-in.ts';
import { addUser, changeUserPassword, changeUserRole, listUsers, removeUser } from './users.ts';

const misused = 2;

const commands: Record<string, Command> = {
  'keys create': createKey,
  'keys rotate': rotateKeys,
  'keys list': showKeys,
  'keys prune': pruneKeys,
  reencrypt,
  'sign-in': signIn,
  'users add': addUser,
  'users list': listUsers,
  'users role': changeUserRole,
  'users password': changeUserPassword,
  'users remove': removeUser,
};

const usage = `Usage: pnpm dowel <command>

${Object.entries(commands)
  .map(([name, { summary, takes = [] }]) => `  ${[name, ...takes].join(' ').padEnd(22)} ${summary}`)
  .join('\n')}

${actionUsage}

Settings: DOWEL_DATA_DIR, DOWEL_KEY_FILE, DOWEL_DATABASE_URL and, for the link, DOWEL_PUBLIC_URL, from the
environment, or from .env of the working folder.
Exit code: 0 done, 1 refused or not all done, ${misused} no such command.`;

export interface CommandLine {
  /** The words after the program's name. */
  args: readonly string[];
  environment: Environment;
  /** The file of further settings. It need not exist. */
  envPath: string;
  /** Writes a line to standard output. */
  say(line: string): void;
  /** Writes a line to standard error. */
  warn(line: string): void;
  /** From a terminal without echo, or from standard input. */
  readPassword(): Promise<string>;
}

/** Returns the exit code. Never throws: every failure is a line on standard error. */
export async function runCommandLine(line: CommandLine): Promise<number> {
  if (isActionCommand(line.args) && !line.args.includes('--help')) return runAction(line);
  const { command, args, wantsHelp, problem } = parseCommandLine(line.args);
  if (wantsHelp) {
    line.say(usage);
    return 0;
  }
  if (!command) {
    line.warn(`${problem}\n\n${usage}`);
    return misused;
  }
  return runCommand(command, args, line).catch((error: unknown) => tellFailure(line, error));
}

async function runAction(line: CommandLine): Promise<number> {
  try {
    return await runActionCommand({ ...line, environment: readVariables(line) });
  } catch (error) {
    return tellFailure(line, error);
  }
}

function tellFailure({ warn }: CommandLine, error: unknown): number {
  const { name, message, stack } = error as Error;
  const isExpected =
    error instanceof StoreError || error instanceof SyntaxError || name === 'ConfigError';
  warn(isExpected ? message : String(stack ?? error));
  return 1;
}

/** Strict: an unknown option may have been meant to prevent the command's effect, such as `--dry-run`. */
function parseCommandLine(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    });
    return { ...findCommand(positionals), wantsHelp: values.help === true };
  } catch (error) {
    return { args: [], wantsHelp: false, problem: (error as Error).message };
  }
}

/** The words of a command, then its arguments. An argument too many may be a password, so none is repeated. */
function findCommand(words: string[]) {
  const [name, command] =
    Object.entries(commands).find(([each]) => `${words.join(' ')} `.startsWith(`${each} `)) ?? [];
  if (!name || !command) {
    const problem = words.length === 0 ? 'Which command?' : 'There is no such command.';
    return { args: [], problem };
  }
  const args = words.slice(name.split(' ').length);
  const { takes = [] } = command;
  if (args.length === takes.length) return { command, args, problem: '' };
  return { args: [], problem: `"${name}" takes ${takes.join(' and ') || 'no arguments'}.` };
}

async function runCommand(
  command: Command,
  args: readonly string[],
  line: CommandLine,
): Promise<number> {
  const { say, warn, readPassword } = line;
  const environment = readVariables(line);
  const settings = readStoreSettings(environment);
  return command.run({ say, warn, readPassword, args, environment, settings });
}

/** All settings, of the environment and of the file. @throws SyntaxError */
function readVariables({ envPath, environment }: CommandLine): Environment {
  const variables = readEnvironment(envPath, environment);
  const unknown = describeUnknownSettings(variables, ['DOWEL']);
  if (unknown.length > 0) throw new SyntaxError(unknown.join('\n'));
  return variables;
}
