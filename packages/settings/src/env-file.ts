/** Reads `.env`: Node's own parser, but a line that it would silently pass over is an error. */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const line = /^\s*(#.*|(export\s+)?[A-Za-z_][A-Za-z0-9_]*\s*=.*)?$/;

/**
 * What `.env` sets, and nothing when there is none.
 *
 * @throws SyntaxError that names the line and how to mend it; it never repeats the line.
 */
export function readEnvFile(path: string): NodeJS.ProcessEnv {
  return existsSync(path) ? parseEnvFile(readFileSync(path, 'utf8')) : {};
}

/** @throws SyntaxError as {@link readEnvFile}. */
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
