import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import {
  brokenFixture,
  detailFixture,
  installationFixture,
  serverNow,
} from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

function manyBroken(count: number) {
  return Array.from({ length: count }, (_, index) =>
    brokenFixture({
      id: `id-${index}`,
      host: `tenant-${String(index).padStart(4, '0')}.example`,
      accessEndsAt: serverNow - (count - index) * 60_000,
    }),
  );
}

const rows = () => within(screen.getByRole('table')).getAllByRole('row').slice(1);
const listLoads = (requests: Request[]) =>
  requests.filter(({ url }) => url.includes('/fleet/installations?')).length;

describe('an empty list', () => {
  it('shows the first installation by itself', async () => {
    const bff = createFakeBff();
    const { changes } = renderAdmin(bff, '/installations');
    await screen.findByText('No installation yet.');

    bff.installations = [installationFixture({ beganAt: serverNow })];
    act(() => changes.announce('acme'));

    expect(await screen.findByText('acme.example.com')).toBeDefined();
  });
});

describe('a list of a thousand installations', () => {
  it('has only the rows in view in the page', async () => {
    renderAdmin(createFakeBff({ installations: manyBroken(1_000) }), '/installations');

    expect(await screen.findByText(/of 1,000 · Longest broken first/)).toBeDefined();
    expect(rows().length).toBeLessThan(50);
  });

  it('changes a row in place when it changed, and never loads the list again', async () => {
    const bff = createFakeBff({ installations: manyBroken(300) });
    const { changes } = renderAdmin(bff, '/installations');
    await screen.findByText('tenant-0000.example');
    const loads = listLoads(bff.requests);

    bff.installations = bff.installations.map((row) =>
      row.id === 'id-0' ? { ...row, tries: 41 } : row,
    );
    act(() => changes.announce('id-0'));

    await waitFor(() => expect(rows()[0]?.textContent).toMatch(/41$/));
    expect(listLoads(bff.requests)).toBe(loads);
  });

  it('says how many rows moved, and reorders only when a person asks', async () => {
    const bff = createFakeBff({ installations: manyBroken(300) });
    const { changes } = renderAdmin(bff, '/installations?group=broken');
    await screen.findByText('tenant-0000.example');

    bff.installations = bff.installations.map((row) =>
      row.id === 'id-0' ? installationFixture({ id: 'id-0', host: row.host }) : row,
    );
    act(() => changes.announce('id-0'));

    const show = await screen.findByRole('button', { name: 'Show 1 moved row' });
    expect(rows()[0]?.textContent).toContain('tenant-0000.example');
    expect(rows()[0]?.textContent).toContain('Active');
    await userEvent.click(show);
    await waitFor(() => expect(rows()[0]?.textContent).toContain('tenant-0001.example'));
  });

  it('counts by the server’s clock which rows moved', async () => {
    // By this browser's clock it was installed in the future, so it could not be broken yet.
    const installation = installationFixture({
      state: 'no_tokens',
      condition: 'pending',
      beganAt: serverNow - 600_000,
    });
    const bff = createFakeBff({ installations: [installation] });
    const { changes } = renderAdmin(bff, '/installations?group=broken');
    await screen.findByText('acme.example.com');

    bff.installations = [{ ...installation, tries: 41 }];
    act(() => changes.announce('acme'));

    await waitFor(() => expect(rows()[0]?.textContent).toMatch(/41$/));
    expect(screen.queryByText(/moved/)).toBeNull();
  });

  it('is walked, chosen from and opened by keys alone', async () => {
    const bff = createFakeBff({ installations: manyBroken(30) });
    renderAdmin(bff, '/installations');
    await screen.findByText('tenant-0000.example');

    await userEvent.keyboard('jjxjx');
    expect(screen.getByText('2 of 30 selected')).toBeDefined();
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByText('2 of 30 selected')).toBeNull();

    await userEvent.keyboard('/abc');
    expect(screen.getByLabelText('Search installations')).toHaveProperty('value', 'abc');
    await waitFor(() => expect(screen.queryByText('tenant-0000.example')).toBeNull());
    await userEvent.clear(screen.getByLabelText('Search installations'));
    await screen.findByText('tenant-0000.example');
    await userEvent.keyboard('{Escape}jj{Enter}');
    await waitFor(() => expect(window.location.pathname).toBe('/admin/installations/id-1'));
  });

  it('a range begins at the row that was chosen last in this list, or is one row', async () => {
    renderAdmin(createFakeBff({ installations: manyBroken(30) }), '/installations');
    await screen.findByText('tenant-0000.example');

    await userEvent.keyboard('jjxjjX');
    expect(screen.getByText('3 of 30 selected')).toBeDefined();
    await userEvent.keyboard('{Escape}jX');

    expect(screen.getByText('1 of 30 selected')).toBeDefined();
  });

  it('Escape without a selection is left to the browser, which closes what is open', async () => {
    renderAdmin(createFakeBff({ installations: manyBroken(30) }), '/installations');
    await screen.findByText('tenant-0000.example');
    const prevented: boolean[] = [];
    const note = (event: KeyboardEvent) => prevented.push(event.defaultPrevented);
    window.addEventListener('keydown', note);
    onTestFinished(() => window.removeEventListener('keydown', note));

    await userEvent.keyboard('{Escape}');
    await userEvent.keyboard('jx');
    await userEvent.keyboard('{Escape}');

    expect([prevented[0], prevented.at(-1)]).toEqual([false, true]);
  });

  it('moves the focus with the frame, and a page that is opened gets it', async () => {
    const installations = manyBroken(30);
    const details = installations.map((installation) => detailFixture({ installation }));
    renderAdmin(createFakeBff({ installations, details }), '/installations');
    await screen.findByText('tenant-0000.example');
    // So the first Tab of a person reaches the link that skips the navigation.
    expect(document.activeElement).toBe(document.body);

    await userEvent.keyboard('jj');
    const link = screen.getByRole('link', { name: 'tenant-0001.example' });
    expect(document.activeElement).toBe(link);
    await userEvent.keyboard('{Enter}');
    await screen.findByRole('heading', { level: 1, name: 'tenant-0001.example' });
    expect(screen.getByRole('main').contains(document.activeElement)).toBe(true);
    await userEvent.keyboard('u');

    const heading = await screen.findByRole('heading', { level: 1, name: 'Installations' });
    await waitFor(() => expect(document.activeElement).toBe(heading));
  });

  it('keeps the search when Escape leaves its field', async () => {
    renderAdmin(createFakeBff({ installations: manyBroken(3) }), '/installations?q=hooli');
    await screen.findByText('tenant-0000.example');
    const field = screen.getByLabelText('Search installations');
    act(() => field.focus());

    // Browsers empty a search field unless the key is handled.
    const isLeftToBrowser = fireEvent.keyDown(field, { key: 'Escape' });

    expect(isLeftToBrowser).toBe(false);
    expect(document.activeElement).toBe(document.body);
  });

  it('asks once for a next page that fails, and again when a person wants it', async () => {
    const installations = manyBroken(61);
    const bff = createFakeBff({ installations: installations.slice(0, 60), maxPageSize: 40 });
    const { fetch } = bff;
    let failed = 0;
    bff.fetch = async (input, init) => {
      if (!String(input).includes('after=')) return fetch(input, init);
      failed += 1;
      return Response.json({ code: 'BROKEN', message: 'Broken' }, { status: 400 });
    };
    const { changes } = renderAdmin(bff, '/installations');
    await screen.findByRole('alert');

    // The page is rendered again with each other count.
    bff.installations = installations;
    act(() => changes.announceCounts());
    await screen.findByText(/of 61 ·/);
    expect(failed).toBe(1);
    bff.fetch = fetch;
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));

    await waitFor(() => expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('62'));
    expect(screen.queryByRole('alert')).toBeNull();
    expect(rows()[0]?.textContent).toContain('tenant-0000.example');
  });

  it('goes to another page by g and a letter that means something else here', async () => {
    renderAdmin(createFakeBff({ installations: manyBroken(3) }), '/installations');
    await screen.findByText('tenant-0000.example');

    await userEvent.keyboard('jjgk');

    await waitFor(() => expect(window.location.pathname).toBe('/admin/keys'));
  });

  it('leaves single letters alone once they are switched off', async () => {
    renderAdmin(createFakeBff({ installations: manyBroken(3) }), '/installations');
    await screen.findByText('tenant-0000.example');

    await userEvent.keyboard('?');
    await userEvent.click(await screen.findByLabelText('Single letters act as keys'));
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));
    await userEvent.keyboard('jx');

    expect(screen.queryByText(/selected$/)).toBeNull();
    localStorage.clear();
  });
});
