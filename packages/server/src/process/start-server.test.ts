/** A start that fails. */
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServerOptions } from '../server-options.ts';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import { type ServerWorld, startServerWorld } from '../testing/server-world.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

test('closes the server: another try says so, and not what was wrong before', async () => {
  const host = createHttpServer();
  const port = Number(new URL(await listenOnLoopback(host)).port);
  const server = world.create({ port });
  await expect(server.start()).rejects.toThrow(/is in use/);
  await closeHost(host);

  await expect(server.start()).rejects.toMatchObject({ code: 'SERVER_CLOSED' });
});

describe('ends a program with the sentence alone, without lines of code:', () => {
  /** What Node prints of an error that nothing catches. */
  const printed = async (changes: Partial<ServerOptions>) => {
    const server = world.create(changes);
    return inspect(await server.start().catch((error: unknown) => error));
  };
  const frame = /\n\s+at |\[cause\]/;

  test.each<{ what: string; changes: Partial<ServerOptions>; sentence: RegExp }>([
    { what: 'an option', changes: { trust: 'nonsense' }, sentence: /^\[ConfigError: trust/ },
    {
      what: 'a variable',
      changes: { environment: { DOWEL_TRUTS: 'x' } },
      sentence: /^\[ConfigError: DOWEL_TRUTS is not a setting: did you mean DOWEL_TRUST\?\]$/,
    },
    {
      what: 'a manifest',
      changes: { manifest: './none.json' },
      sentence: /^\[ConfigError: .*none\.json cannot be read/,
    },
    {
      what: 'an address',
      changes: { host: '192.0.2.1' },
      sentence: /^\[ConfigError: .*192\.0\.2\.1 is not an address of this machine/,
    },
    {
      what: 'a database URL',
      changes: { database: { url: 'postgres://%' } },
      sentence: /^\[(ConfigError|StoreError): /,
    },
  ])('$what', async ({ changes, sentence }) => {
    const text = await printed(changes);

    expect(text).toMatch(sentence);
    expect(text).not.toMatch(frame);
  });

  test('a key file without a key, and a database that is none', async () => {
    const file = join(world.folder, 'none');
    await writeFile(file, 'nothing '.repeat(1_000), { mode: 0o600 });
    const texts = await Promise.all([
      printed({ keyFile: { path: file } }),
      printed({ database: { path: file } }),
    ]);

    expect(texts).toEqual([
      expect.stringMatching(/^\[StoreError: The encryption key file /),
      expect.stringMatching(/^\[StoreError: .* cannot be used: /),
    ]);
    expect(texts.join()).not.toMatch(frame);
  });

  test('an end of the server before', async () => {
    const server = world.create();
    await server.close();

    const text = inspect(await server.start().catch((error: unknown) => error));

    expect(text).toMatch(/^\[ServerClosedError: The server was closed\]/);
  });
});
