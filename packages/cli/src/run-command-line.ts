/** One call of `dowel`: reads the settings as the back end does, runs one command, and returns its exit code. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { StoreError } from '@dowel/installation-store';
import { dowelVariables, readStoreSettings, secretNames } from '@dowel/server/settings';
import {
  describeUnknownSettings,
  type Environment,
  readEnvironment,
  readSecretFiles,
} from '@dowel/settings';
import { actionCommands } from './action-command.ts';
import { listAlerts, testAlerts } from './alerts.ts';
import { listAudit } from './audit.ts';
import { BackEndError } from './call-back-end.ts';
import { listCalls } from './calls.ts';
import { type Command, type CommandContext, MisuseError, timeOf } from './command.ts';
import { eraseUser } from './erase.ts';
import { listEvents } from './events.ts';
import { listInstallations, showInstallation } from './installations.ts';
import { createKey, pruneKeys, rotateKeys, showKeys } from './keys.ts';
import { reencrypt } from './reencrypt.ts';
import { listRuns, startRun, stopRun } from './runs.ts';
import { showShapes } from './shapes.ts';
import { signIn } from './sign-in.ts';
import {
  describeAll,
  describeCommand,
  describeGroup,
  type NamedCommand,
  seeAllCommands,
} from './usage.ts';
import { addUser, changeUserRole, linkUserPassword, listUsers, removeUser } from './users.ts';
import { validateManifest } from './validate.ts';

const misused = 2;
const controlCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const ownCommands: Readonly<Record<string, Command>> = {
  'keys create': createKey,
  'keys rotate': rotateKeys,
  'keys list': showKeys,
  'keys prune': pruneKeys,
  reencrypt,
  'sign-in': signIn,
  'users add': addUser,
  'users list': listUsers,
  'users role': changeUserRole,
  'users password': linkUserPassword,
  'users remove': removeUser,
  'installations list': listInstallations,
  'installations show': showInstallation,
  'runs start': startRun,
  'runs list': listRuns,
  'runs stop': stopRun,
  'alerts list': listAlerts,
  'alerts test': testAlerts,
  erase: eraseUser,
  calls: listCalls,
  events: listEvents,
  audit: listAudit,
  shapes: showShapes,
  validate: validateManifest,
};

const commands: readonly NamedCommand[] = Object.entries({ ...ownCommands, ...actionCommands });

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
}

/** Returns the exit code. Never throws: every failure is a line on standard error. */
export async function runCommandLine(line: CommandLine): Promise<number> {
  if (line.args.length === 1 && line.args[0] === '--version') {
    line.say(readVersion());
    return 0;
  }
  const named = findCommand(line.args);
  const { call, wantsHelp, problem } = parseCommandLine(line.args, named);
  if (wantsHelp) {
    line.say(describeUsage(line.args, named) ?? describeEverything());
    return 0;
  }
  if (!call) {
    line.warn(`${problem}\n\n${describeMisuse(line.args, named)}`);
    return misused;
  }
  return runCommand(call, line).catch((error: unknown) => printFailure(line, error));
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Describes the command, or the commands that begin with the same word. */
function describeUsage(
  [word]: readonly string[],
  named: NamedCommand | undefined,
): string | undefined {
  if (named) return describeCommand(named);
  const group = commands.filter(([name]) => name.startsWith(`${word} `));
  return group.length > 0 ? describeGroup(group) : undefined;
}

/** Short, so that the problem above it stays visible. */
function describeMisuse(args: readonly string[], named: NamedCommand | undefined): string {
  if (args.length === 0) return describeEverything();
  return describeUsage(args, named) ?? seeAllCommands;
}

function describeEverything(): string {
  return describeAll(Object.entries(ownCommands), Object.entries(actionCommands));
}

function printFailure({ warn }: CommandLine, error: unknown): number {
  const { name, message, stack } = error as Error;
  const isExpected =
    error instanceof StoreError ||
    error instanceof SyntaxError ||
    error instanceof MisuseError ||
    error instanceof BackEndError ||
    name === 'ConfigError';
  warn(isExpected ? message : String(stack ?? error));
  return error instanceof MisuseError ? misused : 1;
}

/** A command with its arguments and options. */
interface CommandCall extends Pick<CommandContext, 'args' | 'options' | 'flags'> {
  command: Command;
}

interface ParsedLine {
  call?: CommandCall;
  wantsHelp: boolean;
  /** The mistake in the command line. */
  problem: string;
}

/** Strict: an unknown option may have been meant to prevent the command's effect, such as `--dry-run`. */
function parseCommandLine(
  args: readonly string[],
  [name = '', command]: Partial<NamedCommand> = [],
): ParsedLine {
  const { options = [], flags = [], hasJson = false } = command ?? {};
  const booleans = [...flags, ...(hasJson ? ['json'] : [])];
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...Object.fromEntries(options.map((option) => [option, { type: 'string' } as const])),
        ...Object.fromEntries(booleans.map((flag) => [flag, { type: 'boolean' } as const])),
        help: { type: 'boolean', short: 'h' },
      },
    });
    const given = Object.entries<unknown>(values);
    const texts = given.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    const set = new Set(given.flatMap(([flag, value]) => (value === true ? flag : [])));
    const call = { positionals, options: Object.fromEntries(texts), flags: set };
    return { ...readCall({ name, command, ...call }), wantsHelp: set.has('help') };
  } catch (error) {
    return { wantsHelp: false, problem: describeWrongOption(error as Error) };
  }
}

/** Without Node's advice about arguments that begin with a hyphen: no command takes one. */
function describeWrongOption({ message }: Error): string {
  return message.replace(/\. To specify .*/s, '.');
}

/** The command whose words come first. */
function findCommand(args: readonly string[]): NamedCommand | undefined {
  const words = `${args.join(' ')} `;
  return commands.find(([name]) => words.startsWith(`${name} `));
}

/** A superfluous argument may be a password, so no argument is printed. */
function readCall({
  name,
  command,
  positionals,
  options,
  flags,
}: {
  name: string;
  command: Command | undefined;
  positionals: string[];
  options: CommandContext['options'];
  flags: CommandContext['flags'];
}): Omit<ParsedLine, 'wantsHelp'> {
  if (!command) {
    const isEmpty = positionals.length === 0;
    return { problem: isEmpty ? 'Which command?' : 'There is no such command.' };
  }
  const args = positionals.slice(name.split(' ').length);
  const { takes = [] } = command;
  const least = takes.filter((each) => !each.startsWith('[')).length;
  if (args.length >= least && args.length <= takes.length) {
    return { call: { command, args, options, flags }, problem: '' };
  }
  return { problem: `"${name}" takes ${takes.join(' and ') || 'no arguments'}.` };
}

async function runCommand({ command, ...given }: CommandCall, line: CommandLine): Promise<number> {
  const isJson = given.flags.has('json') || given.options.format === 'json';
  const say = (text: string) => line.say(toOneLine(text));
  const warn = (text: string) => line.warn(toOneLine(text));
  const print: CommandContext['print'] = (answer, lines) => {
    if (isJson) line.say(toJson(answer));
    else for (const each of lines()) say(each);
  };
  const environment = command.ignoresSettings ? line.environment : readVariables(line);
  const settings = readStoreSettings(command.ignoresSettings ? {} : environment);
  return command.run({ say, warn, print, ...given, environment, settings });
}

/** Removes line breaks and control characters: texts of other people, such as a reason, must not add lines. */
function toOneLine(text: string): string {
  return text.replaceAll(controlCharacters, ' ');
}

/** One line. Points in time are ISO 8601; control characters are escaped. */
function toJson(answer: object): string {
  const text = JSON.stringify(answer, (name, value) =>
    typeof value === 'number' && pointInTimeNames.test(name) ? timeOf(value) : value,
  );
  return text.replaceAll(controlCharacters, escapeCharacter);
}

/** In the JSON of the back end, numbers with these names are epoch milliseconds. */
const pointInTimeNames = /^(at|now|since|until)$|(At|Since|Until|From)$/;

function escapeCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** All settings, from the environment and the file. @throws SyntaxError */
function readVariables({ envPath, environment }: CommandLine): Environment {
  const variables = readEnvironment(envPath, environment);
  const read = readSecretFiles(variables, secretNames);
  const problems = [
    ...describeUnknownSettings(variables, { DOWEL: dowelVariables }),
    ...read.problems,
  ];
  if (problems.length > 0) throw new SyntaxError(problems.join('\n'));
  return read.variables;
}
