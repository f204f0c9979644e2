import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { brokenFixture, installationFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

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

  it('says that all is well, without a colour', async () => {
    renderAdmin(createFakeBff({ installations: [installationFixture()] }), '/');

    const verdict = await screen.findByRole('heading', { name: /should work do\.$/ });

    expect(verdict.parentElement?.dataset.tone).toBeUndefined();
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
    await userEvent.click(await screen.findByRole('button', { name: /hooli.*Awaiting event/ }));

    expect(window.location.pathname).toBe('/admin/installations/hooli');
  });
});
