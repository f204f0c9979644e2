/** `dowel doctor` as a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startBackEnd } from '@dowel/conformance/testing';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

test('Ctrl-C ends the run with 3 and prints what was seen', async () => {
  const backEnd = await startBackEnd((_, response) => {
    child.kill('SIGINT');
    response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
  });
  const args = ['doctor', backEnd.manifestUrl, '--origin', 'http://localhost:0'];
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });

  const ended = once(child, 'exit');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);

  expect(await ended).toEqual([3, null]);
  expect(out).toMatch(/^Not judged\. The run was ended\.\n\d+ pass, /);
  expect(err).toBe('');
  await backEnd.close();
});
