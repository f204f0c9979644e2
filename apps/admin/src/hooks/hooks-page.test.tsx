import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { hookFixture, installationFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { stopClock } from '../testing/stop-clock.ts';

async function readRows(): Promise<(string | null)[]> {
  const table = await screen.findByRole('table', { name: 'Parked deliveries' });
  return within(table)
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent);
}

describe('the parked hook deliveries', () => {
  it('say where, which hook, why, since when and after how many attempts', async () => {
    stopClock();
    renderAdmin(createFakeBff({ hooks: [hookFixture({ replays: 2 })] }), '/hooks');

    expect(await readRows()).toEqual([
      expect.stringMatching(
        /^acme\.example\.com.*installed.*The CRM answered 503\.12 attempts, replayed 2 times12 min/,
      ),
    ]);
  });

  it.each([
    ['Replay', 'replay-hook'],
    ['Drop', 'drop-hook'],
  ])('%s with a reason, and the list is read again', async (name, action) => {
    const bff = createFakeBff({ hooks: [hookFixture()] });
    renderAdmin(bff, '/hooks');
    await userEvent.click(
      await screen.findByRole('button', { name: `${name}: installed, acme.example.com` }),
    );
    const dialog = within(await screen.findByRole('dialog', { name }));

    await userEvent.type(dialog.getByLabelText('Reason'), 'CRM is back{Enter}');
    await userEvent.click(await dialog.findByRole('button', { name: 'Close' }));

    const sent = bff.requests.find(({ url }) => url.endsWith(`/acme/actions/${action}`));
    expect(await sent?.json()).toEqual({ hookId: 'acme 2 1', reason: 'CRM is back' });
    expect(await screen.findByRole('heading', { name: 'No delivery is parked' })).toBeDefined();
  });

  it('appear within five seconds on the open page', async () => {
    stopClock();
    const bff = createFakeBff();
    renderAdmin(bff, '/hooks');
    await screen.findByRole('heading', { name: 'No delivery is parked' });

    bff.hooks = [hookFixture()];
    await act(() => vi.advanceTimersByTimeAsync(5_000));

    expect(await readRows()).toHaveLength(1);
  });

  it('stay for a viewer, and say why nothing can be done', async () => {
    renderAdmin(createFakeBff({ hooks: [hookFixture()], role: 'viewer' }), '/hooks');
    const button = await screen.findByRole('button', {
      name: /^Replay/,
      description: /Viewers cannot do this/,
    });

    await userEvent.click(button);

    expect(button.getAttribute('aria-disabled')).toBe('true');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('are counted in the navigation', async () => {
    const installations = [installationFixture({ parkedHooks: 3 })];
    renderAdmin(createFakeBff({ installations }), '/');

    const navigation = within(await screen.findByRole('complementary'));

    expect(await navigation.findByRole('link', { name: /^Hooks ?3$/ })).toBeDefined();
  });
});
