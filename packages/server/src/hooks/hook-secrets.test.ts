/** Row H18: no record of a failed hook contains a secret. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inspect } from 'node:util';
import { Secret } from '@dowel/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  installAt,
  type ServerWorld,
  sessionTokenAt,
  startServerWorld,
} from '../testing/server-world.ts';
import { everyHook } from './testing/hook-world.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** Remembers the secrets that the token endpoint receives and sends. */
function createListeningFetch(secrets: Set<string>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    const url = new URL(request.url);
    if (!url.searchParams.has('grant_type')) return response;
    const [, basic = ''] = (request.headers.get('authorization') ?? '').split(' ');
    const [, clientSecret = ''] = atob(basic).split(':');
    const tokens = (await response.clone().json()) as Record<string, unknown>;
    for (const secret of [
      clientSecret,
      url.searchParams.get('code'),
      tokens.access_token,
      tokens.refresh_token,
    ]) {
      if (typeof secret === 'string') secrets.add(secret);
    }
    return response;
  };
}

function readHookRows(path: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare('select * from hook_deliveries').all();
  } finally {
    database.close();
  }
}

test('H18, S21: rows, log, lists and documents of failed hooks contain no secret, even if the error contains all data of the hook', async () => {
  const secrets = new Set<string>();
  const told: string[] = [];
  const server = world.create({
    fetch: createListeningFetch(secrets),
    hookPolicy: { delaysMs: [] },
    hooks: everyHook(async (delivery) => {
      const answer = await delivery.platform?.fetch('/api/users');
      const everything = inspect([delivery, answer], { depth: 12, showHidden: true });
      told.push(everything);
      throw new Error(everything, { cause: [delivery, answer] });
    }),
  });
  const { url } = await server.start();
  const { pluginId, instanceId } = await installAt(world, url);
  const sessionToken = await sessionTokenAt(world, url, instanceId);
  secrets.add(sessionToken);
  const { platform, tenantId } = world;
  await platform.sendAccessTokenEvent({ tenantId, pluginId });
  await platform.uninstall({ tenantId, pluginId });
  await server.hooks.runDue();

  const rows = readHookRows(join(world.folder, 'dowel.sqlite'));
  const documents = await Promise.all(
    ['openapi.json', 'openapi.html', 'manifest.json'].map(async (path) =>
      (await fetch(`${url}/${path}`)).text(),
    ),
  );
  const parked = [];
  for await (const each of server.hooks.parked()) parked.push(each);
  const { lines, observations } = world;
  const written = inspect([rows, documents, parked, lines, observations, told], {
    depth: 20,
    maxStringLength: null,
    maxArrayLength: null,
  });

  expect(secrets.size).toBeGreaterThanOrEqual(6);
  expect(rows.length).toBeGreaterThanOrEqual(4);
  expect(written).toContain('hook.parked');
  for (const secret of secrets) expect(written.includes(secret)).toBe(false);
  // A wrapped secret, which a hook could unwrap, would print like this.
  expect(told.join()).not.toContain(String(new Secret('')));
});
