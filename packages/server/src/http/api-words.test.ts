/** The APIs explain a wrong request in our own words, not in the validation library's. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startWorld, type World } from '../testing/start-world.ts';

const zodsOwn = 'WORDS OF ZOD';
z.config({ localeError: () => zodsOwn });

const csrf = { 'x-dowel-csrf': '1' };
let world: World;
let session: Record<string, string>;
let cookie: string;

beforeAll(async () => {
  world = await startWorld();
  const { instanceId } = await world.install();
  session = { authorization: `Bearer ${await world.openSession(instanceId)}` };
  cookie = await world.signIn();
});

afterAll(() => world[Symbol.asyncDispose]());

const long = 'x'.repeat(20_000);
const wrongValues = [null, 1, true, '', long, [], {}, { x: 1 }, { en: '' }, { EN: 'x' }, [1]];
const notificationFields = 'recipientEmail recipientId message messages excerpt excerpts category';

function bodiesWith(fields: string): unknown[] {
  const objects = fields
    .split(' ')
    .flatMap((field) => wrongValues.map((value) => ({ [field]: value })));
  return [...wrongValues, ...objects, { unknown: 1 }];
}

async function expectOurWords(response: Response): Promise<void> {
  const text = await response.text();
  if (response.status !== 400) return;
  expect(text).toContain('"BAD_REQUEST"');
  expect(text).not.toMatch(/WORDS OF ZOD|undefined|NaN|\[object/);
}

describe('a wrong request', () => {
  test('to open a session is answered in our words', async () => {
    for (const body of bodiesWith('initJwt instanceId')) {
      await expectOurWords(await world.post('/api/session', body));
    }
  });

  test('to notify is answered in our words', async () => {
    for (const body of bodiesWith(notificationFields)) {
      await expectOurWords(await world.post('/api/createNotification', body, session));
    }
  });

  test('to sign in is answered in our words', async () => {
    for (const body of bodiesWith('code')) {
      await expectOurWords(await world.post('/admin/api/session', body, csrf));
    }
  });

  test('for a list is answered in our words', async () => {
    for (const query of [
      'limit=ten',
      'limit=0',
      'limit=999',
      'limit=1.5',
      'state=x',
      'search=a&search=b',
    ]) {
      const response = await fetch(`${world.url}/admin/api/fleet/installations?${query}`, {
        headers: { cookie },
      });
      expect(response.status).toBe(400);
      await expectOurWords(response);
    }
  });
});
