import { fileURLToPath } from 'node:url';
import { createClient } from '@dowel/adapter/client';
import {
  installAt,
  type ServerWorld,
  sessionTokenAt,
  startServerWorld,
} from '@dowel/server/testing';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { remindEverybody } from '../cron-notify/remind-everybody.ts';
import { operations } from '../vote/operations.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

async function open() {
  const server = world.create({ operations });
  const { url } = await server.start();
  const { instanceId } = await installAt(world, url);
  const sessionToken = await sessionTokenAt(world, url, instanceId);
  const session = {
    fetch(path: string, init: RequestInit) {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${sessionToken}`);
      return fetch(new URL(path, url), { ...init, headers });
    },
  };
  return { server, client: createClient<typeof operations>(session) };
}

const colleagueOf = ({ platform }: ServerWorld) => {
  const colleague = platform.tenants[0]?.users[1];
  if (!colleague) throw new Error('The tenant has one user only');
  return colleague;
};

test('a user votes once, and asks a colleague to vote', async () => {
  const { client } = await open();
  const colleague = colleagueOf(world);

  expect(await client.vote({ choice: 'soup' })).toEqual({ soup: 1, salad: 0 });
  expect(await client.vote.safe({ choice: 'salad' })).toMatchObject({
    error: { code: 'ALREADY_VOTED', status: 409, mayHaveRun: false },
  });
  expect(await client.invite({ email: colleague.email })).toEqual({});
  expect(world.platform.notifications(colleague.userId)).toMatchObject([
    { message: 'What is for lunch? Vote!' },
  ]);
});

test('a timer reminds a colleague in every tenant, without a user', async () => {
  const { server } = await open();
  const colleague = colleagueOf(world);

  expect(await remindEverybody(server, colleague.email)).toBe(1);
  expect(await remindEverybody(server, 'nobody@nowhere.example')).toBe(0);

  const sent = world.platform.notifications(colleague.userId);
  expect(sent).toMatchObject([{ message: 'The poll ends today' }]);
});

test('S23: nothing of the back end gets into the page', async () => {
  const input = fileURLToPath(new URL('../vote/page.tsx', import.meta.url));
  const build = await rolldown({ input, external: [/^react/] });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();

  expect(output[0].code).toContain('/api/');
  for (const text of ['Votes once', 'What is for lunch? Vote!', 'zod', 'node:', 'plugin:notify']) {
    expect(output[0].code).not.toContain(text);
  }
});
