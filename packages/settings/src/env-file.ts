/**
 * Reads the environment and `.env` below it. `.env` is read by Node's own parser, but a line that it
 * would silently skip is an error.
 */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describeFileError } from './file-error.ts';
import type { Environment } from './unknown-settings.ts';

const line = /^\s*(#.*|(export\s+)?[A-Za-z_][A-Za-z0-9_]*\s*=.*)?$/;

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
    if (!line.test(each)) {
      throw new SyntaxError(
        `.env line ${index + 1} is broken: write NAME=value, or # for a comment.`,
      );
    }
  }
  return parseEnv(text);
}
