import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { installationFixture, serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const active = installationFixture();
const awaiting = installationFixture({
  id: 'hooli',
  issuer: 'https://hooli.example.com',
  status: 'awaiting_event',
  accessToken: { version: 3, issuedAt: serverNow - 9_000, expiresAt: serverNow - 1_000 },
  lastError: { reason: 'invalid_grant', at: serverNow - 500 },
});
const uninstalled = installationFixture({
  id: 'wonka',
  issuer: 'https://wonka.example.com',
  status: 'uninstalled',
  accessToken: null,
});
const all = [active, awaiting, uninstalled];

async function findRow(name: RegExp): Promise<HTMLElement> {
  const link = await within(await screen.findByRole('table')).findByRole('link', { name });
  return link.closest('tr') ?? expect.fail('the link is in no row');
}

function shownTenants(): (string | null)[] {
  const links = within(screen.getByRole('table')).getAllByRole('link');
  return links.map((link) => link.textContent);
}

describe('the list of installations', () => {
  it('tells status, scopes, last event and last error of each in words', async () => {
    renderAdmin(createFakeBff({ installations: all }), '/');

    const row = within(await findRow(/hooli/));

    expect(row.getByText('Awaiting event')).toBeDefined();
    expect(row.getByText('plugin:notify')).toBeDefined();
    expect(row.getByText('access_token')).toBeDefined();
    expect(row.getByText('201')).toBeDefined();
    expect(row.getByText('1 min ago')).toBeDefined();
    expect(row.getByRole('cell', { name: /invalid_grant/ })).toBeDefined();
  });

  it("counts down by the server's clock, second by second", async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    renderAdmin(createFakeBff({ installations: [active] }), '/');
    const row = within(await findRow(/acme/));
    expect(row.getByText('1 min 30 s')).toBeDefined();

    act(() => void vi.advanceTimersByTime(31_000));
    expect(row.getByText('59 s')).toBeDefined();

    act(() => void vi.advanceTimersByTime(60_000));
    expect(row.getByText('Expired')).toBeDefined();
    expect(row.getByText('refreshed by the next call')).toBeDefined();
  });

  it('says so when the platform gave no expiry', async () => {
    const accessToken = { version: 1, issuedAt: serverNow, expiresAt: null };
    const installations = [installationFixture({ accessToken })];
    renderAdmin(createFakeBff({ installations }), '/');

    expect(within(await findRow(/acme/)).getByText('Unknown expiry')).toBeDefined();
  });

  it('names those that need attention, and why', async () => {
    renderAdmin(createFakeBff({ installations: all }), '/');

    const alert = await screen.findByText('One installation needs attention');

    const text = alert.closest('[role=alert]')?.textContent;
    expect(text).toContain('hooli.example.com');
    expect(text).toContain('asked for a new access_token event');
  });

  it('keeps filter and search in the address', async () => {
    renderAdmin(createFakeBff({ installations: all }), '/');
    await findRow(/acme/);

    await userEvent.click(screen.getByRole('radio', { name: 'Uninstalled' }));
    expect(await findRow(/wonka/)).toBeDefined();
    expect(shownTenants()).toEqual(['wonka.example.com f18ddfb6']);
    expect(window.location.search).toBe('?filter=uninstalled');

    await userEvent.type(screen.getByLabelText('Search installations'), 'acme');
    expect(await screen.findByText('No installation matches the search.')).toBeDefined();
    expect(new URLSearchParams(window.location.search).get('q')).toBe('acme');
  });

  it('shows what the address asks for', async () => {
    renderAdmin(createFakeBff({ installations: all }), '/?filter=attention&q=hooli');

    await findRow(/hooli/);

    expect(shownTenants()).toEqual(['hooli.example.com f18ddfb6']);
    expect(screen.getByLabelText('Search installations')).toHaveProperty('value', 'hooli');
  });

  it('says how to get a first installation', async () => {
    renderAdmin(createFakeBff(), '/');

    expect(await screen.findByRole('heading', { name: 'No installation yet' })).toBeDefined();
    expect(screen.getByText(/\/manifest\.json$/)).toBeDefined();
  });

  it('shows a failure in words and loads again on request', async () => {
    const bff = createFakeBff({ installations: all, isBroken: true });
    renderAdmin(bff, '/');
    expect((await screen.findByRole('alert')).textContent).toContain('Refused with BROKEN');

    bff.isBroken = false;
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));

    expect(await findRow(/acme/)).toBeDefined();
  });

  it('loads once for many changes in a row', async () => {
    const bff = createFakeBff({ installations: [active] });
    const { changes } = renderAdmin(bff, '/');
    await findRow(/acme/);
    const countLoads = () =>
      bff.requests.filter(({ url }) => url.includes('/installations?')).length;
    const before = countLoads();

    bff.installations = all;
    for (const id of ['acme', 'hooli', 'hooli']) changes.announce(id);

    expect(await findRow(/hooli/)).toBeDefined();
    expect(countLoads()).toBe(before + 1);
  });

  it('says whether changes arrive by themselves', async () => {
    const { changes } = renderAdmin(createFakeBff({ installations: all }), '/');
    await findRow(/acme/);

    act(() => void changes.dispatchEvent(new Event('open')));
    expect(screen.getByText('Live')).toBeDefined();

    act(() => void changes.dispatchEvent(new Event('error')));
    expect(screen.getByText(/^Not live since \d/)).toBeDefined();
  });
});
