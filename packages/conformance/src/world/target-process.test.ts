import { startOnUnusedPort } from '@dowel/settings/testing';
import { expect, test } from 'vitest';
import { watchForEnd } from '../interruption.ts';
import { startTarget } from './target-process.ts';

const limitMs = 60_000;
const node = (script: string) => `'${process.execPath}' -e "${script}"`;
/** Answers with its process id. */
const serve = (port: number) =>
  `require('http').createServer((_, r) => r.end(String(process.pid))).listen(${port}, '127.0.0.1')`;

test('a command that moves the back end out of its group is ended, and never restarts', async () => {
  await startOnUnusedPort(async (port) => {
    const script = `require('child_process').spawn(process.execPath, ['-e', \\\`${serve(port)}\\\`],
      { detached: true, stdio: 'inherit' }).unref()`;
    const url = `http://localhost:${port}/manifest.json`;
    const target = await startTarget(url, node(script), watchForEnd(limitMs, undefined));
    const pid = Number(await (await fetch(url)).text());

    const restarted = target?.restart();

    await expect(restarted).rejects.toMatchObject({
      verdict: 'open',
      message: expect.stringMatching(/^It cannot be ended: /),
    });
    await target?.end();
    process.kill(pid, 'SIGKILL');
  });
});

test('a start that takes long is ended with the run', async () => {
  const url = 'http://localhost:9/manifest.json';
  const stop = new AbortController();
  const started = startTarget(
    url,
    node('setInterval(() => {}, 1e6)'),
    watchForEnd(limitMs, stop.signal),
  );

  stop.abort();

  await expect(started).rejects.toMatchObject({
    code: 'START_FAILED',
    message: '--start did not start the back end. The run was ended.',
  });
});
