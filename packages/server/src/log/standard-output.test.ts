/** The log of a process whose standard output accepts no data. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { expect, test } from 'vitest';

const logger = new URL('logger.ts', import.meta.url).href;
const program = `
  import { createLogger } from ${JSON.stringify(logger)};
  const { logger } = createLogger({ level: 'info' });
  logger.info('one');
  setImmediate(() => {
    logger.info('two');
    process.stderr.write('still here');
  });`;

async function run(stdout: number | 'pipe') {
  const args = ['--input-type=module', '--eval', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'pipe'] });
  child.stdout?.destroy();
  let err = '';
  child.stderr?.on('data', (text) => {
    err += text;
  });
  const [code] = await once(child, 'close');
  return { code, err };
}

test.skipIf(!existsSync('/dev/full'))('a full disk ends no process, and holds none', async () => {
  await using full = await open('/dev/full', 'w');

  expect(await run(full.fd)).toEqual({ code: 0, err: 'still here' });
});

test('a reader that has gone ends no process', async () => {
  expect(await run('pipe')).toEqual({ code: 0, err: 'still here' });
});
