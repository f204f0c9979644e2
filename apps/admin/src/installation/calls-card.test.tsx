import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { callFixture, detailFixture, installationFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const { id } = installationFixture();
const card = () => screen.findByRole('region', { name: 'Failed calls' });

it('shows the last calls that failed, with the way to all of them', async () => {
  const calls = [callFixture({ count: 3 }), callFixture({ id: 'fine', reason: null, status: 200 })];
  const bff = createFakeBff({ details: [detailFixture()], calls });
  renderAdmin(bff, `/installations/${id}`);

  const table = within(await card()).findByRole('table');
  const rows = within(await table)
    .getAllByRole('row')
    .slice(1);
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/GET \/api\/users\/\{id\}.*Platform failed · 503 3 times.*Down for/),
  ]);
  const all = within(await card()).getByRole('link', { name: 'Show all' });
  expect(all.getAttribute('href')).toContain(`/calls?installation=${id}`);
  const asked = bff.requests.find(({ url }) => url.includes('/calls?'));
  expect(new URL(asked?.url ?? '').searchParams.get('limit')).toBe('10');
});

it('says that no call has failed', async () => {
  renderAdmin(createFakeBff({ details: [detailFixture()] }), `/installations/${id}`);
  expect(
    await within(await card()).findByText('No call has failed in the last seven days.'),
  ).toBeDefined();
});
