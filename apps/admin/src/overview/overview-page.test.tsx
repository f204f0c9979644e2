import type { FleetInstallation } from '@dowel/admin-api';
import { spotlight } from '@mantine/spotlight';
import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import {
  brokenFixture,
  failingFixture,
  installationFixture,
  serverNow,
  uninstalledFixture,
} from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { stopClock } from '../testing/stop-clock.ts';

describe('the overview', () => {
  it('says in one sentence how many are broken, and leads to them', async () => {
    const installations = [installationFixture(), brokenFixture(), uninstalledFixture()];
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

  it('keeps the longest broken ones live, and asks again only when another one may belong to them', async () => {
    const installations = Array.from({ length: 8 }, (_, index) =>
      brokenFixture({
        id: `id-${index}`,
        host: `t${index}.example`,
        accessEndsAt: serverNow - (100 - index) * 60_000,
      }),
    );
    const bff = createFakeBff({ installations });
    const { changes } = renderAdmin(bff, '/');
    const table = within(await screen.findByRole('table'));
    await table.findByText('t5.example');
    const loads = () => bff.requests.filter(({ url }) => url.includes('/fleet/installations?'));
    const change = (id: string, to: Partial<FleetInstallation>) => {
      bff.installations = bff.installations.map((row) => (row.id === id ? { ...row, ...to } : row));
      act(() => changes.announce(id));
    };
    const before = loads().length;

    change('id-0', { cause: 'no_refresh_token' });
    expect(await table.findByText('No refresh token')).toBeDefined();
    change('id-7', installationFixture({ id: 'id-7' }));
    await screen.findByRole('link', { name: 'All 7' });
    expect(loads()).toHaveLength(before);

    change('id-0', installationFixture({ id: 'id-0' }));
    expect(await table.findByText('t6.example')).toBeDefined();
    expect(table.queryByText('t0.example')).toBeNull();
    expect(loads()).toHaveLength(before + 1);

    bff.installations.push(brokenFixture({ id: 'old', host: 'old.example', accessEndsAt: 1 }));
    act(() => changes.announce('old'));
    expect(await table.findByText('old.example')).toBeDefined();
  });

  it('says that all is well, without a colour', async () => {
    renderAdmin(createFakeBff({ installations: [installationFixture()] }), '/');

    const verdict = await screen.findByRole('heading', {
      name: 'The one installation that should work does.',
    });

    expect(verdict.parentElement?.dataset.tone).toBeUndefined();
  });

  it('says that no installation should work, rather than that there is none', async () => {
    const installations = [
      installationFixture({ state: 'paused', condition: 'paused' }),
      uninstalledFixture(),
    ];
    const first = renderAdmin(createFakeBff({ installations }), '/');
    const name = 'All 2 installations are paused, pending or uninstalled.';
    expect(await screen.findByRole('heading', { name })).toBeDefined();

    first.leave();
    renderAdmin(createFakeBff(), '/');
    expect(await screen.findByRole('heading', { name: 'No installation yet.' })).toBeDefined();
    expect(screen.getByText(/manifest\.json$/)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Guide for operations' })).toBeDefined();
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

  it('says which part of it could not be loaded', async () => {
    const bff = createFakeBff({
      installations: [brokenFixture()],
      failing: ['/alerts', '/fleet/installations'],
    });
    renderAdmin(bff, '/');

    expect(await screen.findByText('The alerts could not be loaded')).toBeDefined();
    const longest = within(await screen.findByRole('region', { name: 'Broken longest' }));
    const failure = within(await longest.findByRole('alert'));
    bff.failing = [];
    await userEvent.click(failure.getByRole('button', { name: 'Try again' }));

    expect(await longest.findByRole('link', { name: 'hooli.example.com' })).toBeDefined();
  });

  it('distinguishes two reasons of one cause by their codes', async () => {
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
  // Its state is global to its module.
  afterEach(() => spotlight.close());

  it('finds an installation by any part of its host, and opens it', async () => {
    renderAdmin(createFakeBff({ installations: [installationFixture(), brokenFixture()] }), '/');
    await userEvent.click(await screen.findByRole('button', { name: /Find a tenant/ }));

    await userEvent.type(await screen.findByPlaceholderText('Find a tenant, id or page'), 'ooli');
    // The age is by the server's clock, which is years ahead of this browser's.
    await userEvent.click(await screen.findByRole('button', { name: /hooli.*44 min.*Awaiting/ }));

    expect(window.location.pathname).toBe('/admin/installations/hooli');
  });

  it('says that the search failed, not that nothing matches', async () => {
    renderAdmin(createFakeBff({ failing: ['/fleet/installations'] }), '/');
    await userEvent.click(await screen.findByRole('button', { name: /Find a tenant/ }));

    await userEvent.type(await screen.findByPlaceholderText('Find a tenant, id or page'), 'ooli');

    expect(await screen.findByText(/^The installations could not be loaded\./)).toBeDefined();
    expect(screen.queryByText('Nothing matches.')).toBeNull();
  });
});
