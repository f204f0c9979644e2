import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { detailFixture, refreshEntry, serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const hour = 3_600_000;
const refreshes = [120, 84, 1_200].map((durationMs, index) =>
  refreshEntry({ id: 9 - index, startedAt: serverNow - (index + 1) * hour, durationMs }),
);

it('a healthy installation shows how long its refreshes took, each at its time', async () => {
  const failed = refreshEntry({ id: 5, succeeded: false, durationMs: 14_000, reason: 'x' });
  const timeline = [failed, ...refreshes];
  renderAdmin(createFakeBff({ details: [detailFixture()], timeline }), '/installations/acme');

  const card = within(await screen.findByRole('region', { name: 'How long refreshes took' }));

  const chart = card.getByRole('img', { name: 'The newest 3 refreshes took 84 ms to 1.2 s.' });
  const lines = chart.querySelector('[data-tone="ok"]')?.getAttribute('d') ?? '';
  const places = [...lines.matchAll(/M([\d.]+) /g)].map(([, x]) => Math.round(Number(x)));
  expect(places).toEqual([667, 333, 0]);
  await userEvent.click(card.getByRole('button', { name: /^Show as a table/ }));
  expect(card.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual([
    '120 ms',
    '84 ms',
    '1.2 s',
  ]);
  expect(screen.queryByRole('region', { name: /^Access/ })).toBeNull();
});

it('a healthy installation without refreshes shows its access', async () => {
  renderAdmin(createFakeBff({ details: [detailFixture()] }), '/installations/acme');

  expect(await screen.findByRole('region', { name: 'Access, last 7 days' })).toBeDefined();
});
