/** Which program is the author's back end. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DevError } from '../dev-error.ts';

const entries = ['server/main', 'server', 'src/server'].flatMap((name) => [
  `${name}.ts`,
  `${name}.js`,
]);

/**
 * Loaded by a Node program before its own code. It tells its parent which files it loads, and ends with it, even when the
 * parent is killed on Windows: then the channel disconnects. Unref'd, so the channel keeps no program alive that has ended
 * by itself.
 */
const preload = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:') && !url.includes('/node_modules/')) process.send?.({ loaded: url });
    return next(url, context);
  },
});
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
`)}`;

export interface BackEndCommand {
  file: string;
  args: readonly string[];
  /** Whether it is a Node program with a channel to its parent. */
  hasChannel: boolean;
}

/**
 * Returns the given command, or Node with the given file, or with the first of `server/main.ts`, `server.ts` and
 * `src/server.ts`, or of the same in `.js`; else the script `start` of package.json.
 *
 * @throws DevError when there is none
 */
export function findCommand(
  root: string,
  {
    command = [],
    server,
  }: { command?: readonly string[] | undefined; server?: string | undefined },
): BackEndCommand {
  const [file, ...args] = command;
  if (file !== undefined) return { file, args, hasChannel: false };
  const entry = server ?? entries.find((each) => existsSync(join(root, each)));
  if (entry !== undefined && !existsSync(join(root, entry))) {
    throw new DevError(`--server: there is no file ${entry} in ${root}.`);
  }
  if (entry !== undefined) {
    return { file: process.execPath, args: ['--import', preload, entry], hasChannel: true };
  }
  if (hasStartScript(root))
    return { file: 'npm', args: ['run', '--silent', 'start'], hasChannel: false };
  throw new DevError(
    `There is no back end in ${root}: no ${entries.join(', ')}, and no script "start" in package.json. Name it: dowel dev --server FILE, or dowel dev -- COMMAND.`,
  );
}

function hasStartScript(root: string): boolean {
  try {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return typeof scripts?.start === 'string';
  } catch {
    return false;
  }
}
