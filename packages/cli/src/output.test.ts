/** `dowel` with a standard output that accepts no data. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

async function showHelp(stdout: number | 'pipe') {
  const child = spawn(process.execPath, [main, '--help'], { stdio: ['ignore', stdout, 'pipe'] });
  child.stdout?.destroy();
  let err = '';
  child.stderr?.on('data', (text) => {
    err += text;
  });
  const [code] = await once(child, 'close');
  return { code, err };
}

test('a reader that closes the pipe early is no failure', async () => {
  expect(await showHelp('pipe')).toEqual({ code: 0, err: '' });
});

test.skipIf(!existsSync('/dev/full'))(
  'output that a full disk lost is a failure, in one line',
  async () => {
    await using full = await open('/dev/full', 'w');

    expect(await showHelp(full.fd)).toEqual({
      code: 1,
      err: 'The output cannot be written: the disk is full (ENOSPC).\n',
    });
  },
);
