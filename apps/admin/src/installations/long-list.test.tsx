import type { InstallationSummary } from '@dowel/schema';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { installationFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

/** Small pages: many rows take long where there is no real browser. */
function createPagedBff(installations: InstallationSummary[]) {
  return createFakeBff({ installations, maxPageSize: 10 });
}

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

/** Uses selectors: finding roles in so many rows is slow. */
const rows = () => [...document.querySelectorAll('tbody tr')];
const expectRows = (count: number) => waitFor(() => expect(rows()).toHaveLength(count));
const newcomer = installationFixture({ id: 'new', issuer: 'https://newcomer.example.com' });

describe('a list that is longer than a page', () => {
  it('loads further pages on request, until there are none', async () => {
    const bff = createPagedBff(manyInstallations(21));
    renderAdmin(bff, '/');
    await expectRows(10);

    const more = screen.getByText('Load more');
    await userEvent.click(more);
    await screen.findByText('20 shown');
    expect(document.activeElement).toBe(more.closest('button'));

    await userEvent.click(screen.getByText('Load more'));
    await expectRows(21);
    expect(screen.queryByText('Load more')).toBeNull();
    const pages = bff.requests.filter(({ url }) => url.includes('/installations?'));
    const limits = pages.map(({ url }) => new URL(url).searchParams.get('limit'));
    expect(new Set(limits)).toEqual(new Set(['100']));
  });

  it('takes its figures and the alert from the server', async () => {
    renderAdmin(createPagedBff(manyInstallations(12)), '/');

    const alert = (await screen.findByText('One installation needs attention')).closest(
      '[role=alert]',
    );
    await waitFor(() => expect(alert?.textContent).toContain('tenant-11.example.com'));
    expect(screen.getByText('With access').parentElement?.textContent).toContain('11of 12');
  });

  it('lets the server filter what is not loaded', async () => {
    renderAdmin(createPagedBff(manyInstallations(12)), '/?filter=attention');

    await expectRows(1);
    expect(rows()[0]?.textContent).toContain('tenant-11');
  });

  it('lets the server search, and says what it searches', async () => {
    renderAdmin(createPagedBff(manyInstallations(12)), '/?q=tenant-1');
    await expectRows(3);

    const field = screen.getByPlaceholderText("Search a tenant's address or id");
    await userEvent.type(field, 'x');

    expect(await screen.findByText(/^No installation matches the search. A long/)).toBeDefined();
  });

  it('loads what is loaded again after a change', async () => {
    const bff = createPagedBff(manyInstallations(21));
    const { changes } = renderAdmin(bff, '/');
    await userEvent.click(await screen.findByText('Load more'));
    await screen.findByText('20 shown');

    bff.installations = [newcomer, ...bff.installations];
    changes.announce('new');

    await screen.findByText('newcomer.example.com');
    expect(rows()).toHaveLength(20);
  });

  it('breaks no loading off for further changes, and loses none', async () => {
    const bff = createPagedBff(manyInstallations(12));
    const answer = bff.fetch;
    let open = Promise.resolve();
    const asked: (AbortSignal | null | undefined)[] = [];
    bff.fetch = async (input, init) => {
      const body = await answer(input, init);
      asked.push(init?.signal);
      await open;
      return body;
    };
    const { changes } = renderAdmin(bff, '/');
    await expectRows(10);

    const gate = Promise.withResolvers<void>();
    open = gate.promise;
    const before = asked.length;
    changes.announce('id-1');
    await waitFor(() => expect(asked.length).toBeGreaterThan(before));
    bff.installations = [newcomer, ...bff.installations];
    changes.announce('new');
    await new Promise((resolve) => setTimeout(resolve, 600));
    gate.resolve();

    await screen.findByText('newcomer.example.com');
    expect(asked.some((signal) => signal?.aborted)).toBe(false);
  });

  it('shows where the server stopped counting', async () => {
    renderAdmin(createPagedBff(manyInstallations(10_050)), '/');

    const figure = (await screen.findByText('With access')).parentElement;
    expect(figure?.textContent).toContain('10,000+of 10,000+');
  });
});
