import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { rememberLanguage } from '../i18n/language.ts';
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

const active = installationFixture();
const broken = brokenFixture();
const all = [active, broken, uninstalledFixture()];

async function findRow(name: RegExp): Promise<HTMLElement> {
  const link = await within(await screen.findByRole('table')).findByRole('link', { name });
  return link.closest('tr') ?? expect.fail('the link is in no row');
}

function shownTenants(): (string | null)[] {
  const rows = within(screen.getByRole('table')).getAllByRole('row').slice(1);
  return rows.map((row) => within(row).getByRole('link').textContent);
}

describe('the list of installations', () => {
  it('answers what, why, since when and what happens next, in this order', async () => {
    stopClock();
    renderAdmin(createFakeBff({ installations: all }), '/installations');

    const row = await findRow(/hooli/);

    const cells = within(row).getAllByRole('cell');
    const texts = cells.map((cell) => cell.textContent);
    expect(texts[1]).toBe('Awaiting event');
    expect(texts[3]).toBe('Refresh token refused');
    expect(texts[4]).toBe('44 min');
    expect(texts.slice(6)).toEqual(['Asks again in 1:12', '7']);
  });

  it('shows the longest broken first, and nothing red on what was uninstalled', async () => {
    const older = brokenFixture({ id: 'old', host: 'old.example', accessEndsAt: serverNow - 9e6 });
    renderAdmin(createFakeBff({ installations: [...all, older] }), '/installations');

    const row = await findRow(/wonka/);

    expect(shownTenants().slice(0, 2)).toEqual(['old.example', 'hooli.example.com']);
    expect(within(row).getByText('Uninstalled').dataset.tone).toBe('gone');
  });

  it('marks both addresses of a tenant that has two', async () => {
    const old = { id: 'hooli', host: 'hooli.example.com', isNewer: false };
    const moved = { id: 'acme', host: 'acme.example.com', isNewer: true };
    const installations = [
      installationFixture({ otherAddress: old }),
      brokenFixture({ otherAddress: moved }),
    ];
    renderAdmin(createFakeBff({ installations }), '/installations');

    const [newer, older] = [await findRow(/acme/), await findRow(/hooli/)];
    expect(within(newer).getByRole('img', { name: /the older one is hooli/ })).toBeDefined();
    expect(within(older).getByRole('img', { name: /to the other one, acme/ })).toBeDefined();
  });

  it('marks a row with parked hooks beside any state', async () => {
    const installations = [installationFixture({ parkedHooks: 2 }), broken];
    renderAdmin(createFakeBff({ installations }), '/installations');

    const row = await findRow(/acme/);

    expect(within(row).getByRole('img', { name: '2 hooks parked' })).toBeDefined();
    expect(within(row).getByText('Active').dataset.tone).toBe('ok');
    expect(within(await findRow(/hooli/)).queryByRole('img')).toBeNull();
  });

  it('filters by the time without access, and clears what matches nothing', async () => {
    const user = userEvent.setup();
    const old = brokenFixture({ id: 'old', host: 'old.example', accessEndsAt: serverNow - 9e6 });
    renderAdmin(createFakeBff({ installations: [...all, old] }), '/installations');
    await findRow(/hooli/);
    const age = screen.getByRole('combobox', { name: 'By time without access' });

    await user.selectOptions(age, 'Without access over 1 h');
    await waitFor(() => expect(shownTenants()).toEqual(['old.example']));
    await user.selectOptions(age, 'Without access under 1 h');
    await waitFor(() => expect(shownTenants()).toEqual(['hooli.example.com']));
    await user.selectOptions(age, 'Without access over 7 days');
    await screen.findByText('Without access over 7 days', { selector: 'p' });

    await user.click(screen.getByRole('link', { name: 'Clear the filter' }));
    await waitFor(() => expect(shownTenants()).toHaveLength(4));
  });

  it('filters by a granted scope, also by one that only the address names', async () => {
    const user = userEvent.setup();
    renderAdmin(createFakeBff({ installations: all }), '/installations?scope=plugin:old');
    const message = await screen.findByText('plugin:old granted', { selector: 'p' });
    expect(message.previousElementSibling?.textContent).toBe('No installation matches');

    const scope = screen.getByRole('combobox', { name: 'By granted scope' });
    expect(within(scope).getAllByRole('option')).toHaveLength(4);
    await user.selectOptions(scope, 'plugin:notify granted');

    await waitFor(() => expect(shownTenants()).toHaveLength(3));
  });

  it('calls a failing one broken from the end of its token on, not from its first failure', async () => {
    stopClock();
    renderAdmin(createFakeBff({ installations: [failingFixture(), broken] }), '/installations');
    const row = await findRow(/initech/);
    const read = () =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent);
    const [, state, , , brokenFor, firstFailure] = read();
    expect([state, brokenFor]).toEqual(['Refresh failing', '–']);
    expect(firstFailure).not.toBe('–');
    expect(shownTenants()).toEqual(['hooli.example.com', 'initech.example.com']);

    act(() => {
      vi.advanceTimersByTime(90_000 + 5 * 60_000);
    });

    const [, later, , , age, endOfToken] = read();
    expect([later, age]).toEqual(['No answer', '5 min']);
    expect(endOfToken).not.toBe(firstFailure);
  });

  it('passes over what it does not understand in the address', async () => {
    const bff = createFakeBff({ installations: all });
    renderAdmin(bff, '/installations?group=king&sort=7&cause=5');

    await findRow(/hooli/);

    expect(shownTenants()).toHaveLength(3);
    expect(bff.requests.filter(({ url }) => /king|sort=|cause=/.test(url))).toEqual([]);
  });

  it('offers the filtered list as a file', async () => {
    renderAdmin(createFakeBff({ installations: all }), '/installations?q=hoo&group=broken');
    await findRow(/hooli/);

    const links = screen.getAllByRole<HTMLAnchorElement>('link', { name: /^Export as/ });

    expect(links.map(({ href }) => new URL(href).pathname + new URL(href).search)).toEqual([
      '/admin/api/fleet/export?search=hoo&group=broken&language=en&format=csv',
      '/admin/api/fleet/export?search=hoo&group=broken&language=en&format=json',
    ]);
  });

  it('offers a file for German spreadsheets to a reader of German', async () => {
    rememberLanguage('de');
    onTestFinished(() => localStorage.clear());
    renderAdmin(createFakeBff({ installations: all }), '/installations');
    await findRow(/hooli/);

    const [link] = screen.getAllByRole<HTMLAnchorElement>('link', { name: /CSV/ });
    expect(link?.href).toContain('language=de&format=csv');
  });

  it("counts down by the server's clock, second by second, and reads idle at the end", async () => {
    stopClock();
    renderAdmin(createFakeBff({ installations: [active] }), '/installations');
    const row = within(await findRow(/acme/));
    expect(row.getByText('Token ends in 1:30')).toBeDefined();

    act(() => void vi.advanceTimersByTime(31_000));
    expect(row.getByText('Token ends in 0:59')).toBeDefined();

    act(() => void vi.advanceTimersByTime(60_000));
    expect(row.getByText('Idle')).toBeDefined();
    expect(row.getByText('The next call renews it')).toBeDefined();
  });

  it('counts every group exactly, and filters by it in the address', async () => {
    renderAdmin(createFakeBff({ installations: all }), '/installations');
    const chips = within(await screen.findByRole('navigation', { name: 'By state' }));
    await screen.findByRole('table');

    await userEvent.click(await chips.findByRole('link', { name: 'Broken 1' }));

    await waitFor(() => expect(shownTenants()).toEqual(['hooli.example.com']));
    expect(window.location.search).toBe('?group=broken');
    expect(chips.getAllByRole('link', { current: 'page' })).toHaveLength(1);
  });

  it('says that one or two letters match beginnings only', async () => {
    renderAdmin(createFakeBff({ installations: all }), '/installations');
    const field = await screen.findByRole('searchbox');

    await userEvent.type(field, 'ho');
    await waitFor(() => expect(shownTenants()).toEqual(['hooli.example.com']));
    expect(field.getAttribute('aria-description')).toBe('matches beginnings only');
    expect(screen.getByText('matches beginnings only')).toBeTruthy();

    await userEvent.type(field, 'ol');
    expect(field.getAttribute('aria-description')).toBeNull();
  });

  it('searches after a pause in typing, in the address, and can be cleared', async () => {
    const bff = createFakeBff({ installations: all });
    renderAdmin(bff, '/installations?group=broken');
    await findRow(/hooli/);

    await userEvent.type(screen.getByLabelText('Search installations'), 'acme');

    expect(await screen.findByText('No installation matches')).toBeDefined();
    expect(screen.getByText('Broken, “acme”')).toBeDefined();
    const searches = bff.requests.filter(({ url }) => url.includes('search='));
    expect(searches.map(({ url }) => new URL(url).searchParams.get('search'))).toEqual(['acme']);
    await userEvent.click(screen.getByRole('link', { name: 'Clear the filter' }));
    expect(await findRow(/acme/)).toBeDefined();
  });

  it('filters by cause', async () => {
    const other = brokenFixture({ id: 'x', host: 'x.example', cause: 'no_refresh_token' });
    renderAdmin(createFakeBff({ installations: [broken, other] }), '/installations');
    await findRow(/hooli/);

    await userEvent.click(await screen.findByRole('link', { name: 'No refresh token 1' }));

    await waitFor(() => expect(shownTenants()).toEqual(['x.example']));
    expect(window.location.search).toBe('?cause=no_refresh_token');
  });

  it('shows a failure in words and loads again on request', async () => {
    const bff = createFakeBff({ installations: all, isBroken: true });
    renderAdmin(bff, '/installations');
    expect((await screen.findByRole('alert')).textContent).toContain('Refused with BROKEN');

    bff.isBroken = false;
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));

    expect(await findRow(/acme/)).toBeDefined();
  });

  it('says how to get a first installation', async () => {
    renderAdmin(createFakeBff(), '/installations');

    expect(await screen.findByRole('heading', { name: 'No installation yet.' })).toBeDefined();
    const manifest = 'https://dowel.example.com/apps/manifest.json';
    expect(await screen.findByText(manifest)).toBeDefined();
  });

  it('speaks German, and remembers it', async () => {
    renderAdmin(createFakeBff({ installations: all }), '/installations');
    await userEvent.click(await screen.findByRole('button', { name: 'Theme and language' }));

    await userEvent.click(await screen.findByRole('radio', { name: 'Deutsch' }));

    expect((await findRow(/hooli/)).textContent).toContain('Wartet auf Ereignis');
    expect(document.documentElement.lang).toBe('de');
    expect(localStorage.getItem('dowel-language')).toBe('de');
    localStorage.clear();
  });
});
