import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Server } from '@dowel/server';
import { expect, test } from 'vitest';
import { callCommand } from './testing/call-command.ts';
import { openNewStore } from './testing/open-new-store.ts';
import { startBackEnd } from './testing/start-back-end.ts';

test('the commands of the README succeed, one after the other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const commands = [...readme.matchAll(/^dowel ([a-z -]+?) *#/gm)].map(
    ([, command = '']) => command,
  );
  const outcomes = [];
  let server: Server | undefined;

  for (const command of commands) {
    outcomes.push(await callCommand({ args: command.split(' '), folder }));
    if (command === 'keys create') await (await openNewStore(folder)).close();
    // A back end that started before the rotation would go on with the old key.
    if (command === 'keys prune') server = await startBackEnd(folder);
  }

  expect(commands.length).toBeGreaterThan(10);
  expect(outcomes.map(({ code, err }) => ({ code, err }))).toEqual(
    commands.map(() => ({ code: 0, err: '' })),
  );
  await server?.close();
  await rm(folder, { recursive: true });
});
