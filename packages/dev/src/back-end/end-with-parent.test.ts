import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endWithParent } from './end-with-parent.ts';

let group: ChildProcess;
let groupId: number;

beforeEach(async () => {
  group = spawn('/bin/sh', ['-c', 'sleep 1000 & wait'], { detached: true });
  await once(group, 'spawn');
  groupId = group.pid ?? 0;
});
afterEach(() => {
  if (isAlive()) process.kill(-groupId, 'SIGKILL');
});

function isAlive(): boolean {
  try {
    return process.kill(-groupId, 0);
  } catch {
    return false;
  }
}

test('when the parent is killed, the whole group ends', async () => {
  const module = new URL('end-with-parent.ts', import.meta.url).href;
  const program = `
    const { endWithParent } = await import(${JSON.stringify(module)});
    endWithParent(${groupId});
    console.log('ready');
    setInterval(() => {}, 1_000);
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  await once(parent.stdout, 'data');

  parent.kill('SIGKILL');

  expect(await once(group, 'close')).toEqual([null, 'SIGTERM']);
  await expect.poll(isAlive).toBe(false);
});

test('a group that was released lives on', async () => {
  const release = endWithParent(groupId);

  await release();

  expect(isAlive()).toBe(true);
});
