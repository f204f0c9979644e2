/** Whether the folder of a built page can be served, before anything else begins. */
import { access, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describeFileError } from '@dowel/settings';
import { ConfigError } from '../settings/config-error.ts';

const advice =
  'Build the page first, or correct the path. A relative path begins at the working folder.';

/**
 * Says what is wrong with the folder of a page; undefined: it has an index.html.
 *
 * @param option its name in the options of `createServer`.
 */
export async function findPageProblem(
  option: string,
  directory: string,
): Promise<string | undefined> {
  const folder = resolve(directory);
  try {
    if (!(await stat(folder)).isDirectory()) return `${option}: ${folder} is a file. ${advice}`;
  } catch (error) {
    return `${option}: the folder ${folder} cannot be used: ${describeFileError(error)}. ${advice}`;
  }
  return access(join(folder, 'index.html')).then(
    () => undefined,
    (error) =>
      `${option}: index.html of the folder ${folder} cannot be used: ${describeFileError(error)}. ${advice}`,
  );
}

/** @throws ConfigError in one line */
export async function assertBuilt(option: string, directory: string): Promise<void> {
  const problem = await findPageProblem(option, directory);
  if (problem !== undefined) throw new ConfigError(problem);
}
