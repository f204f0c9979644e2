/** The right back end in Python, as a process. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { PlainBackEnd } from './plain-back-end.ts';

const file = fileURLToPath(new URL('right-back-end.py', import.meta.url));

export const hasPython = spawnSync('python3', ['--version']).status === 0;

export async function startPython(): Promise<PlainBackEnd> {
  const child = spawn('python3', [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout);
  const [manifestUrl] = (await once(lines, 'line')) as [string];
  return {
    manifestUrl,
    async trust(origin) {
      child.stdin.write(`${origin}\n`);
      await once(lines, 'line');
    },
    async close() {
      child.stdin.end();
      await closed;
    },
  };
}
