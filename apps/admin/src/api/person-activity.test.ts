import { expect, it } from 'vitest';
import { sessionFixture } from '../testing/fixtures.ts';
import { createApiClient } from './api-client.ts';
import { watchPerson } from './person-activity.ts';

it('marks what the page asks for by itself, so that only a person keeps the session', async () => {
  const page = new EventTarget();
  let now = 0;
  const marks: (string | null)[] = [];
  const answer = async (_path: unknown, init?: RequestInit) => {
    marks.push(new Headers(init?.headers).get('X-Dowel-Background'));
    return Response.json(sessionFixture);
  };
  const api = createApiClient(
    answer,
    watchPerson(page, () => now),
  );

  await api.session();
  now += 59_999;
  await api.session();
  now += 1;
  await api.session();
  page.dispatchEvent(new Event('keydown'));
  await api.session();
  now += 60_000;
  await api.session();
  page.dispatchEvent(new Event('pointerdown'));
  await api.session();

  expect(marks).toEqual([null, null, '1', null, '1', null]);
});
