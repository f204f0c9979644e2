import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rememberLanguage } from '../i18n/language.ts';
import { createFakeBff } from '../testing/fake-bff.ts';
import { detailFixture, installationFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { parseReturnAddress } from './return-address.ts';

async function signInAs(name: string, password: string): Promise<void> {
  await userEvent.type(await screen.findByLabelText('Name'), name);
  await userEvent.type(screen.getByLabelText('Password'), password);
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
}

describe('sign-in', () => {
  it('by the printed link takes the code out of the address and needs no click', async () => {
    const bff = createFakeBff({ isSignedIn: false, code: 'once' });

    renderAdmin(bff, '/sign-in#code=once');

    expect(await screen.findByRole('heading', { name: 'Overview' })).toBeDefined();
    expect(window.location.href).not.toContain('once');
    expect(bff.requests.every(({ url }) => !url.includes('once'))).toBe(true);
  });

  it('removes the code from the address before the server has answered', async () => {
    const bff = createFakeBff({ fetch: () => new Promise(() => {}) });

    renderAdmin(bff, '/sign-in#code=once');

    await screen.findByLabelText('One-time code');
    expect(window.location.hash).toBe('');
  });

  it('by a used link says how to get a new code', async () => {
    renderAdmin(createFakeBff({ isSignedIn: false }), '/sign-in#code=used');

    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('“dowel sign-in” prints a new link');
    expect(window.location.hash).toBe('');
  });

  it('by a used link leads in while the session lasts', async () => {
    renderAdmin(createFakeBff({ isSignedIn: true }), '/sign-in#code=used');

    expect(await screen.findByRole('heading', { name: 'Overview' })).toBeDefined();
  });

  it('returns to the requested page', async () => {
    const installation = installationFixture();
    const details = [detailFixture({ installation })];
    const bff = createFakeBff({ isSignedIn: false, code: 'once', details });
    renderAdmin(bff, '/installations/acme?from=list');

    await userEvent.type(await screen.findByLabelText('One-time code'), 'once');
    await userEvent.click(screen.getByRole('button', { name: 'Use this code' }));

    expect(await screen.findByRole('heading', { name: /acme\.example\.com/ })).toBeDefined();
    expect(window.location.pathname).toBe('/admin/installations/acme');
    expect(window.location.search).toBe('?from=list');
  });

  it('takes a name and a password', async () => {
    const bff = createFakeBff({ isSignedIn: false, password: 'correct horse battery' });
    renderAdmin(bff, '/audit');

    await signInAs('night.desk', 'correct horse battery');

    expect(await screen.findByRole('heading', { name: 'Audit' })).toBeDefined();
    expect(window.location.href).not.toContain('horse');
  });

  it('passes over a page to return to that is none', async () => {
    renderAdmin(
      createFakeBff({ isSignedIn: false, code: 'once' }),
      '/sign-in?returnTo=5#code=once',
    );

    expect(await screen.findByRole('heading', { name: 'Overview' })).toBeDefined();
  });

  it('says of a wrong password who can set a new one, and lets try again', async () => {
    const bff = createFakeBff({ isSignedIn: false, password: 'correct horse battery' });
    renderAdmin(bff, '/sign-in');

    await signInAs('night.desk', 'wrong');

    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The name or the password is wrong');
    await userEvent.clear(screen.getByLabelText('Password'));
    await userEvent.type(screen.getByLabelText('Password'), 'correct horse battery{Enter}');
    expect(await screen.findByRole('heading', { name: 'Overview' })).toBeDefined();
  });

  it('says how long to wait after too many attempts', async () => {
    const refused = { code: 'TOO_MANY_ATTEMPTS', message: 'Too many attempts' };
    const answer = () => Response.json(refused, { status: 429 });
    renderAdmin(createFakeBff({ fetch: async () => answer() }), '/sign-in');

    await signInAs('night.desk', 'wrong');

    expect((await screen.findByRole('alert')).textContent).toContain('Wait 15 minutes');
  });

  it('speaks German', async () => {
    rememberLanguage('de');
    onTestFinished(() => localStorage.clear());
    renderAdmin(createFakeBff({ isSignedIn: false }), '/sign-in');

    expect(await screen.findByRole('heading', { name: 'Bei Dowel anmelden' })).toBeDefined();
    expect(screen.getByLabelText('Passwort')).toBeDefined();
    expect(screen.getByRole('button', { name: 'Diesen Code verwenden' })).toBeDefined();
  });

  it('is asked for when an answer says that the session is over', async () => {
    const bff = createFakeBff({ installations: [installationFixture()] });
    const { changes } = renderAdmin(bff, '/installations?group=working');
    await screen.findByRole('table', { name: 'Installations' });

    bff.isSignedIn = false;
    act(() => void changes.dispatchEvent(new Event('gap')));

    expect(await screen.findByLabelText('One-time code')).toBeDefined();
    expect(new URLSearchParams(window.location.search).get('returnTo')).toBe(
      '/installations?group=working',
    );
    expect(screen.getByRole('status').textContent).toBe('Your session has ended.');
  });

  it('says that an action was not done because the session was over', async () => {
    const bff = createFakeBff({ details: [detailFixture()] });
    renderAdmin(bff, '/installations/acme');
    await userEvent.click(await screen.findByRole('button', { name: 'Pause' }));
    const dialog = within(await screen.findByRole('dialog'));

    bff.isSignedIn = false;
    await userEvent.type(dialog.getByLabelText('Reason'), 'moving{Enter}');

    expect(await screen.findByText(/What you sent last was not done\./)).toBeDefined();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('shows no "session ended" note to a first-time visitor', async () => {
    renderAdmin(createFakeBff({ isSignedIn: false }), '/');

    await screen.findByLabelText('One-time code');
    expect(screen.queryByRole('status')).toBeNull();
  });

  it('is asked for after signing out', async () => {
    const bff = createFakeBff();
    renderAdmin(bff, '/');

    await userEvent.click(await screen.findByRole('button', { name: 'Sign out' }));

    expect(await screen.findByLabelText('One-time code')).toBeDefined();
    expect(bff.isSignedIn).toBe(false);
  });
});

describe('an identity provider', () => {
  const provider = { name: 'Sign in with single sign-on' };

  it('is offered where there is one, and gets the requested page', async () => {
    renderAdmin(createFakeBff({ isSignedIn: false, hasProvider: true }), '/audit?who=ada');

    const link = await screen.findByRole('link', provider);

    const { pathname, searchParams } = new URL(link.getAttribute('href') ?? '', location.href);
    expect(pathname).toBe('/admin/api/session/oidc');
    expect(searchParams.get('returnTo')).toBe('/audit?who=ada');
  });

  it('is not offered where there is none', async () => {
    const bff = createFakeBff({ isSignedIn: false });
    renderAdmin(bff, '/sign-in');

    await expect.poll(() => bff.requests.some(({ url }) => url.endsWith('/methods'))).toBe(true);
    expect(screen.queryByRole('link', provider)).toBeNull();
  });

  it.each([
    ['no_role', 'gives you no role in Dowel'],
    ['expired', 'took longer than ten minutes'],
    ['too_many', 'Wait 15 minutes and try again'],
  ])('that signed nobody in is explained: %s', async (refused, sentence) => {
    renderAdmin(createFakeBff({ isSignedIn: false }), `/sign-in?refused=${refused}`);

    expect((await screen.findByRole('alert')).textContent).toContain(sentence);
  });

  it('says nothing for a reason that does not exist', async () => {
    renderAdmin(createFakeBff({ isSignedIn: false }), '/sign-in?refused=<b>text</b>');

    await screen.findByLabelText('One-time code');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('is left too when the operator signs out', async () => {
    renderAdmin(createFakeBff({ continueAt: '#at-the-provider' }), '/');

    await userEvent.click(await screen.findByRole('button', { name: 'Sign out' }));

    // A fragment, because jsdom cannot navigate to other pages.
    await expect.poll(() => window.location.href).toContain('at-the-provider');
  });
});

describe('the address to return to', () => {
  it.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'D14: is never another site: %s',
    (returnTo) => {
      expect(parseReturnAddress(returnTo)).toEqual({ path: '/', query: '' });
    },
  );
});
