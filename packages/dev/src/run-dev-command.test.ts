/** Calls of the commands that end at once, as a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

function call(args: readonly string[]) {
  return spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

test.each([['--help'], ['dev', '--help'], ['emulator', '--help']])(
  'the help of %j %j is no mistake',
  async (...args) => {
    const child = call(args);

    const closed = once(child, 'close');
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);

    expect(out).toMatch(/^Usage: dowel dev/);
    expect([err, ...(await closed)]).toEqual(['', 0, null]);
  },
);

test.each([
  [[], 'Which command?'],
  [['deploy'], 'There is no such command.'],
  [['emulator', '--port', '4300'], 'The emulator takes no options: set EMULATOR_PORT and others.'],
  [['dev', '--prot', '1'], "Unknown option '--prot'"],
  [['send', '-f'], "Unknown option '-f'."],
  [['doctor', '--fast'], "Unknown option '--fast'."],
])('%j is a misuse: its first line says why', async (args, problem) => {
  const child = call(args);

  const closed = once(child, 'close');
  const err = await text(child.stderr);

  expect(err.split('\n', 1)).toEqual([problem]);
  expect(await closed).toEqual([2, null]);
});

test('a reader that closes the pipes early is no failure', async () => {
  for (const [args, code] of [
    [['--help'], 0],
    [['send'], 2],
  ] as const) {
    const child = call(args);
    child.stdout.destroy();
    child.stderr.destroy();

    expect(await once(child, 'close')).toEqual([code, null]);
  }
});
