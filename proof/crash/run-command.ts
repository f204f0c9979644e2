/** The operator's command line, in a child process that a test can kill at a step. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { controlArguments, controlEnvironment } from '@dowel/bff/testing';
import { type Exit, type PointOrder, watchPoints } from './bff-process.ts';

const program = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

export async function runCommand(
  command: string,
  environment: Record<string, string>,
  points?: readonly string[],
): Promise<Exit & { output: string }> {
  const order: PointOrder | undefined = points && { points, action: 'kill' };
  const args = [...controlArguments(), '--import', watchPoints, program, ...command.split(' ')];
  const child = spawn(process.execPath, args, {
    // A `.env` of the work tree must not be read.
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...controlEnvironment(),
      ...environment,
      ...(order && { DOWEL_CRASH_ORDER: JSON.stringify(order) }),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text;
    });
  }
  const [code, signal] = (await once(child, 'close')) as [Exit['code'], Exit['signal']];
  return { code, signal, output };
}
