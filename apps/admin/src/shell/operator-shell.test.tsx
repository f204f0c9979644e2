import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { alertFixture, alertsFixture } from '../testing/alerts-fixture.ts';
import { createFakeBff } from '../testing/fake-bff.ts';
import { detailFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { stopClock } from '../testing/stop-clock.ts';

it('while the page is cut off, it says as of when its states and ages are', async () => {
  const bff = createFakeBff({ details: [detailFixture()] });
  const { changes } = renderAdmin(bff, '/installations/acme');
  await screen.findByRole('region', { name: 'In short' });
  expect(screen.queryByText(/^As of/)).toBeNull();

  act(() => {
    changes.dispatchEvent(new Event('error'));
  });

  const words = /^As of \d\d:\d\d:\d\d: states, counts and ages/;
  const line = screen.getByText(words);
  expect(screen.getByRole('main').firstElementChild).toBe(line);
  act(() => {
    changes.dispatchEvent(new Event('open'));
  });
  expect(screen.queryByText(words)).toBeNull();
});

it('the navigation counts the open alerts on every page, and a screen reader hears the number', async () => {
  const open = [alertFixture(), alertFixture({ id: 'other', rule: 'hook_parked' })];
  renderAdmin(createFakeBff({ alerts: alertsFixture({ open }) }), '/settings');

  const navigation = within(await screen.findByRole('complementary'));
  expect(await navigation.findByRole('link', { name: /^Alerts ?2$/ })).toBeDefined();
  const words = await screen.findByText('2 alerts are open');
  expect(words.getAttribute('aria-live')).toBe('polite');
});

it('a screen reader hears when the last alert has ended, and nothing where none was open', async () => {
  stopClock();
  const bff = createFakeBff({ alerts: alertsFixture({ open: [alertFixture()] }) });
  const { leave } = renderAdmin(bff, '/settings');
  const words = await screen.findByText('1 alert is open');

  bff.alerts = alertsFixture();
  act(() => {
    vi.advanceTimersByTime(30_000);
  });
  await waitFor(() => expect(words.textContent).toBe('No alert is open'));
  leave();

  renderAdmin(bff, '/alerts');
  await screen.findByText('No alert is open');
  expect(screen.getAllByText('No alert is open')).toHaveLength(1);
});
