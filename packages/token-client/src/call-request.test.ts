import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStrictAuthorizationServer } from './testing/strict-authorization-server.ts';
import { createWorld, type InstalledPlugin, type World } from './testing/world.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld({ createServer: createStrictAuthorizationServer });
});
afterAll(() => world.close());

const post = { method: 'POST', body: '{}' };

function formOf(name: string, value: string): FormData {
  const form = new FormData();
  form.set(name, value);
  return form;
}

async function expired(): Promise<InstalledPlugin> {
  const installation = await world.install();
  await world.platform.revokeAccessTokens(installation);
  return installation;
}

describe('fetch', () => {
  test('a stream is sent once: the caller gets its 401, and the next call succeeds', async () => {
    const installation = await expired();
    const body = new Blob(['{}']).stream();

    const first = await world.client.fetch(installation.id, '/things', {
      method: 'POST',
      body,
      duplex: 'half',
    } as RequestInit);
    const second = await world.client.fetch(installation.id, '/things', post);

    expect([first.status, second.status]).toEqual([401, 201]);
    expect(installation.tally).toMatchObject({ refreshes: 1, refused: 1, accepted: 1 });
  });

  test.each([
    ['bytes', new TextEncoder().encode('{}')],
    ['a buffer', new TextEncoder().encode('{}').buffer],
    ['a query', new URLSearchParams({ a: 'b' })],
    ['a form', formOf('a', 'b')],
    ['a blob', new Blob(['{}'])],
    ['nothing', null],
  ])('a body of %s is sent again after the refresh', async (_, body) => {
    const { id } = await expired();

    expect((await world.client.fetch(id, '/things', { method: 'POST', body })).status).toBe(201);
  });

  test.each([
    '/users/%C3%A4%20b,c',
    'users/ada@example.com',
    '/users/ada@example.com:notify',
    '/users/a%2Fb;v=1/',
    "/search('x')/*!$&+=",
  ])('the path %s is sent as it is', async (path) => {
    const { id, baseUrl } = await world.install();
    const urls: string[] = [];
    const client = world.createClient({
      fetch: async (input) => {
        urls.push(new Request(input).url);
        return new Response();
      },
    });

    await client.fetch(id, path);
    await client.fetch(id, `${path}?q=a b#c`);

    const url = `${baseUrl}${path.replace(/^\//, '')}`;
    expect(urls).toEqual([url, `${url}?q=a%20b%23c`]);
  });

  test('a query is kept, and the caller cannot replace the token', async () => {
    const { id } = await world.install();
    const urls: string[] = [];
    const client = world.createClient({
      fetch: (input, init) => {
        urls.push(String(input));
        return fetch(input, init);
      },
    });

    const { status } = await client.fetch(id, '/things?page=2&q=%C3%A4', {
      ...post,
      headers: { Authorization: 'Bearer stolen' },
    });

    expect(status).toBe(201);
    expect(new URL(urls[0] ?? '').search).toBe('?page=2&q=%C3%A4');
  });

  test.each([
    '//evil.test/x',
    'https://evil.test/x',
    '@evil.test',
    ':8443/x',
    '/a\\b',
    '/a#b',
    '/a//b',
    '/a b',
    '/a%2',
    '',
    '?q',
    '/../x',
    '/a/..',
    '/a/%2e%2E/b',
    '/a/.%2e%2fb',
    '/a/..;v=1/b',
    '/a%5c..%5cb',
  ])('H01: the path %s is refused', async (path) => {
    const { id, tally } = await world.install();

    await expect(world.client.fetch(id, path)).rejects.toBeInstanceOf(TypeError);
    expect(tally).toMatchObject({ accepted: 0, refused: 0 });
  });
});
