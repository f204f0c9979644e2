/** Settings whose value is in a file, as Kubernetes and Docker mount secrets: `DOWEL_DATABASE_URL_FILE`. */
import { readFileSync } from 'node:fs';
import { describeFileError } from './file-error.ts';
import type { Environment } from './unknown-settings.ts';

/**
 * Reads each `NAME_FILE` of a setting with a secret. Line breaks at the end of a file are cut.
 *
 * @returns the environment with `NAME` instead of `NAME_FILE`, and a line for each file that cannot be used. No line
 *   contains a value or a path.
 */
export function readSecretFiles(
  environment: Environment,
  secretNames: readonly string[],
): {
  variables: Environment;
  problems: string[];
} {
  const problems: string[] = [];
  const variables = { ...environment };
  for (const name of secretNames) {
    const fileVariable = `${name}_FILE`;
    const path = environment[fileVariable];
    delete variables[fileVariable];
    if (!path) continue;
    const problem = environment[name]
      ? `and ${name} are both set: remove one of them`
      : readInto(variables, name, path);
    if (problem) problems.push(`${fileVariable} ${problem}`);
  }
  return { variables, problems };
}

/** @returns the problem, if there is one */
function readInto(
  variables: Record<string, string | undefined>,
  name: string,
  path: string,
): string | undefined {
  try {
    variables[name] = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
    return variables[name] === '' ? 'names a file that is empty' : undefined;
  } catch (error) {
    return `names a file that cannot be read: ${describeFileError(error)}`;
  }
}
