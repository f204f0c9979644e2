import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { serverNow } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

const link = { state: 'open', name: 'grace', expiresAt: serverNow } as const;
const password = 'a few words will do';

async function setPassword(text: string, again = text): Promise<void> {
  await userEvent.type(await screen.findByLabelText('New password'), text);
  await userEvent.type(screen.getByLabelText('New password again'), again);
  await userEvent.click(screen.getByRole('button', { name: 'Set and sign in' }));
}

describe('a password link', () => {
  it('sets the password of its account, and opens the dashboard', async () => {
    const bff = createFakeBff({ isSignedIn: false, link });
    renderAdmin(bff, '/password#code=once');
    expect(await screen.findByLabelText('Account')).toHaveProperty('value', 'grace');

    await setPassword(password);

    expect(await screen.findByRole('heading', { name: 'Overview' })).toBeDefined();
    const sent = bff.requests.find(({ url }) => url.endsWith('/redeem'));
    expect(await sent?.json()).toEqual({ code: 'once', password });
  });

  it('is taken out of the address, and is in no URL of a request', async () => {
    const bff = createFakeBff({ isSignedIn: false, link });

    renderAdmin(bff, '/password#code=once');

    await screen.findByLabelText('New password');
    expect(window.location.href).not.toContain('once');
    expect(bff.requests.every(({ url }) => !url.includes('once'))).toBe(true);
  });

  it('sends no password that is short or was typed differently', async () => {
    const bff = createFakeBff({ isSignedIn: false, link });
    renderAdmin(bff, '/password#code=once');

    await setPassword('short');
    expect(await screen.findByText('It needs at least 12 characters.')).toBeDefined();
    await setPassword(' but longer now', ' and different');

    expect(await screen.findByText('The two passwords differ.')).toBeDefined();
    expect(bff.requests.some(({ url }) => url.endsWith('/redeem'))).toBe(false);
  });

  it.each([
    ['used', 'This link was used already', 'tell an owner at once'],
    ['expired', 'This link has expired', 'Ask an owner for another link'],
    ['unknown', 'This link does not work', 'a newer link has replaced it'],
  ] as const)('that is %s is explained', async (state, title, instead) => {
    renderAdmin(createFakeBff({ isSignedIn: false, link: { state } }), '/password#code=old');

    const alert = await screen.findByRole('alert');

    expect(alert.textContent).toContain(title);
    expect(alert.textContent).toContain(instead);
    expect(screen.queryByLabelText('New password')).toBeNull();
  });

  it('without a code is explained, and Dowel is not asked', async () => {
    const bff = createFakeBff({ isSignedIn: false, link });
    renderAdmin(bff, '/password');

    expect((await screen.findByRole('alert')).textContent).toContain('This link does not work');
    expect(bff.requests.some(({ url }) => url.endsWith('/check'))).toBe(false);
  });

  it('that was used in another window meanwhile says so', async () => {
    const bff = createFakeBff({ isSignedIn: false, link });
    renderAdmin(bff, '/password#code=once');
    await screen.findByLabelText('New password');

    bff.link = { state: 'used' };
    await setPassword(password);

    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('This link was used already');
  });
});
