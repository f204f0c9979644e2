import type { InstallationSummary } from '@dowel/schema';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { installationFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

/** The last one waits for an event. */
function manyInstallations(count: number): InstallationSummary[] {
  return Array.from({ length: count }, (_, index) =>
    installationFixture({
      id: `id-${index}`,
      issuer: `https://tenant-${index}.example.com`,
      tenantId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      status: index === count - 1 ? 'awaiting_event' : 'active',
    }),
  );
}

async function findLinks(): Promise<HTMLElement[]> {
  return within(await screen.findByRole('table')).findAllByRole('link');
}

describe('a list that is longer than a page', () => {
  it('loads further pages on request, until there are none', async () => {
    renderAdmin(createFakeBff({ installations: manyInstallations(250) }), '/');
    expect(await findLinks()).toHaveLength(100);

    const more = screen.getByRole('button', { name: 'Load more' });
    await userEvent.click(more);
    expect(await screen.findByText('200 shown')).toBeDefined();
    expect(document.activeElement).toBe(more);

    await userEvent.click(screen.getByRole('button', { name: 'Load more' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull());
    expect(await findLinks()).toHaveLength(250);
  });

  it('takes its figures and the alert from the server', async () => {
    renderAdmin(createFakeBff({ installations: manyInstallations(250) }), '/');

    const alert = await screen.findByText('One installation needs attention');
    await waitFor(() =>
      expect(alert.closest('[role=alert]')?.textContent).toContain('tenant-249.example.com'),
    );
    expect(screen.getByText('With access').parentElement?.textContent).toContain('249of 250');
  });

  it('lets the server filter what is not loaded', async () => {
    renderAdmin(createFakeBff({ installations: manyInstallations(250) }), '/?filter=attention');

    await waitFor(async () => expect(await findLinks()).toHaveLength(1));
    expect((await findLinks())[0]?.textContent).toContain('tenant-249');
  });

  it('lets the server search, and says what it searches', async () => {
    renderAdmin(createFakeBff({ installations: manyInstallations(250) }), '/');
    const field = await screen.findByPlaceholderText("Search a tenant's address or id");

    await userEvent.type(field, 'tenant-24');
    await waitFor(async () => expect(await findLinks()).toHaveLength(11));

    await userEvent.type(field, 'x');
    expect(
      await screen.findByText(/^No installation matches the search. A long list/),
    ).toBeDefined();
  });

  it('loads what is loaded again after a change', async () => {
    const bff = createFakeBff({ installations: manyInstallations(250) });
    const { changes } = renderAdmin(bff, '/');
    await userEvent.click(await screen.findByRole('button', { name: 'Load more' }));
    await screen.findByText('200 shown');

    const issuer = 'https://newcomer.example.com';
    bff.installations = [installationFixture({ id: 'new', issuer }), ...bff.installations];
    changes.announce('new');

    expect(await screen.findByRole('link', { name: /newcomer/ })).toBeDefined();
    expect(await findLinks()).toHaveLength(200);
  });

  it('shows where the server stopped counting', async () => {
    renderAdmin(createFakeBff({ installations: manyInstallations(10_050) }), '/');

    expect((await screen.findByText('With access')).parentElement?.textContent).toContain(
      '10,000+of 10,000+',
    );
  });
});
