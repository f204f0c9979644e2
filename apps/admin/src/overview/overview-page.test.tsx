import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import {
  brokenFixture,
  failingFixture,
  installationFixture,
  serverNow,
} from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { stopClock } from '../testing/stop-clock.ts';

describe('the overview', () => {
  it('says in one sentence how many are broken, and leads to them', async () => {
    const installations = [installationFixture(), brokenFixture()];
    renderAdmin(createFakeBff({ installations }), '/');

    expect(
      await screen.findByRole('heading', { name: 'One of 2 installations has no access.' }),
    ).toBeDefined();
    expect(await screen.findByRole('link', { name: 'hooli.example.com' })).toBeDefined();
    await userEvent.click(screen.getByRole('link', { name: 'Show them' }));
    expect(window.location.search).toBe('?group=broken');
  });

  it('counts since when the broken ones are without access, and no failing one that still has it', async () => {
    const dayAndMore = brokenFixture({ id: 'old', accessEndsAt: serverNow - 25 * 3_600_000 });
    const installations = [brokenFixture(), dayAndMore, failingFixture()];
    renderAdmin(createFakeBff({ installations }), '/');

    const sentence = 'Without access for less than an hour: 1, for more than a day: 1.';
    expect(await screen.findByText(sentence)).toBeDefined();
    const longest = within(await screen.findByRole('region', { name: 'Broken longest' }));
    expect(await longest.findByText('1 d 01 h')).toBeDefined();
  });

  it('says that all is well, without a colour', async () => {
    renderAdmin(createFakeBff({ installations: [installationFixture()] }), '/');

    const verdict = await screen.findByRole('heading', {
      name: 'The one installation that should work does.',
    });

    expect(verdict.parentElement?.dataset.tone).toBeUndefined();
  });

  it('shows ages by the server’s clock while a newer answer is under way', async () => {
    stopClock();
    const bff = createFakeBff({ installations: [brokenFixture()] });
    const { changes } = renderAdmin(bff, '/');
    const table = within(await screen.findByRole('table'));
    expect(await table.findByText('44 min')).toBeDefined();

    const answer = bff.fetch;
    bff.fetch = (input, init) =>
      String(input).includes('/fleet/installations') ? new Promise(() => {}) : answer(input, init);
    bff.installations = [brokenFixture(), brokenFixture({ id: 'other', host: 'other.example' })];
    changes.announce('other');
    await screen.findByRole('heading', { name: '2 of 2 installations have no access.' });

    expect(table.getByText('44 min')).toBeDefined();
  });

  it('tells two reasons of one cause apart by their codes', async () => {
    const installations = [
      brokenFixture({ id: 'a' }),
      brokenFixture({ id: 'b', cause: 'invalid_client' }),
      brokenFixture({ id: 'c', cause: 'no_refresh_token' }),
    ];
    renderAdmin(createFakeBff({ installations }), '/');

    const causes = within(await screen.findByRole('region', { name: /by cause$/ }));

    expect(causes.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
      'Refresh token refused (invalid_grant)',
      'Refresh token refused (invalid_client)',
      'No refresh token',
    ]);
  });

  it('is one of several pages, of which one is current', async () => {
    renderAdmin(createFakeBff({ installations: [brokenFixture()] }), '/');
    await screen.findByRole('heading', { name: 'Overview' });

    const navigation = within(screen.getByRole('complementary'));

    expect(navigation.getAllByRole('link', { current: 'page' })).toHaveLength(1);
  });
});

describe('the command palette', () => {
  it('finds an installation by any part of its host, and opens it', async () => {
    renderAdmin(createFakeBff({ installations: [installationFixture(), brokenFixture()] }), '/');
    await userEvent.click(await screen.findByRole('button', { name: /Find a tenant/ }));

    await userEvent.type(await screen.findByPlaceholderText('Find a tenant, id or page'), 'ooli');
    // The age is by the server's clock, which is years ahead of this browser's.
    await userEvent.click(await screen.findByRole('button', { name: /hooli.*44 min.*Awaiting/ }));

    expect(window.location.pathname).toBe('/admin/installations/hooli');
  });
});
