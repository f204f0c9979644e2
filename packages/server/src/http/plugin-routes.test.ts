import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

const calls = ['/api/session/nonce', '/api/session', '/api/createNotification'];

describe.each(calls)('%s', (path) => {
  test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('cannot be called by %s', async (method) => {
    const response = await fetch(`${world.url}${path}`, { method });

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  });

  test('is logged under its name', async () => {
    world.logs.length = 0;

    await world.post(`${path}?secret=canary`, {}, { authorization: 'Bearer unknown' });

    expect(world.logs.join()).toContain(`"route":"${path}"`);
    expect(world.logs.join()).not.toContain('canary');
  });

  test.each([`${path}/`, path.toUpperCase(), `${path}/x`, path.replace('api', 'ap%69')])(
    '%s is another path',
    async (other) => {
      expect((await world.post(other, {})).status).toBe(404);
    },
  );
});
