import { act, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFakeBff } from './testing/fake-bff.ts';
import { callFixture } from './testing/fixtures.ts';
import { holdAnswers } from './testing/hold-answers.ts';
import { renderAdmin } from './testing/render-admin.tsx';

it.each([
  { path: '/people', late: '/accounts', other: '/sessions', below: 'All sessions' },
  { path: '/calls', late: '/calls/groups', other: '/calls?', below: 'Single calls' },
  { path: '/keys', late: '/api/keys', other: '/api/keys', below: 'Shapes of the platform' },
])('$path shows nothing that a late answer would push down', async (page) => {
  const { path, late, other, below } = page;
  const bff = createFakeBff({ calls: [callFixture()] });
  const answer = holdAnswers(bff, late);
  renderAdmin(bff, path);
  await screen.findByRole('heading', { level: 1 });
  await waitFor(() => expect(bff.requests.some(({ url }) => url.includes(other))).toBe(true));
  await act(async () => {});
  await act(async () => {});

  expect(screen.queryByRole('heading', { level: 2, name: below })).toBeNull();

  answer();
  expect(await screen.findByRole('heading', { level: 2, name: below })).toBeDefined();
});
