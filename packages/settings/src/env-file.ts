/**
 * Reads the environment and `.env` below it. `.env` is read by Node's own parser, but a line of which it would
 * silently skip a part is an error.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describeFileError } from './file-error.ts';
import type { Environment } from './unknown-settings.ts';

const line = /^\s*(#.*|(export\s+)?[A-Za-z_][A-Za-z0-9_]*\s*=(?<value>.*))?$/;
/** With nothing but a comment after the closing quote. Node's parser would look for that in the lines below, too. */
const quoted = /^\s*(["'`])((?!\1).)*\1\s*(#.*)?$/;
const unquoted = /^(?!\s*["'`])[^#]*(\s#.*)?$/;

/**
 * The variables of the environment, and those of `.env` that the environment does not set. An empty variable
 * counts as not set: it is left out and hides nothing.
 *
 * @param envPath By default `.env` of the working folder; it need not exist.
 * @throws SyntaxError if `.env` cannot be read; or with the line number and how to fix it, without the line's text.
 */
export function readEnvironment(
  envPath = '.env',
  environment: Environment = process.env,
): NodeJS.ProcessEnv {
  const fromFile = existsSync(envPath) ? parseEnvFile(readText(envPath)) : {};
  return { ...withoutEmpty(fromFile), ...withoutEmpty(environment) };
}

function readText(path: string): string {
  try {
    // Some editors begin a file with a byte order mark, which would belong to the first name.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new SyntaxError(`${path} cannot be read: ${describeFileError(error)}.`);
  }
}

/** Leaves out empty variables, because an empty variable, as in `DOWEL_PORT=`, counts as not set. */
export function withoutEmpty(environment: Environment): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
}

/** @throws SyntaxError as {@link readEnvironment}. */
export function parseEnvFile(text: string): NodeJS.ProcessEnv {
  for (const [index, each] of text.split(/\r?\n/).entries()) {
    const hint = findMistake(each);
    if (hint) throw new SyntaxError(`.env line ${index + 1} is broken: ${hint}.`);
  }
  return parseEnv(text);
}

/** Undefined: there is none. */
function findMistake(text: string): string | undefined {
  const found = line.exec(text);
  if (!found) return 'write NAME=value, or # for a comment';
  const value = found.groups?.value ?? '';
  if (quoted.test(value) || unquoted.test(value)) return undefined;
  return /^\s*["'`]/.test(value)
    ? 'close the quote in the same line, and write nothing but a comment after it'
    : 'put the value in quotes, because # begins a comment';
}
