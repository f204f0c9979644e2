import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { detailFixture, installationFixture } from '../testing/fixtures.ts';
import { renderAdmin } from '../testing/render-admin.tsx';
import { parseReturnAddress } from './return-address.ts';

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

  it('returns to the page that was asked for', async () => {
    const installation = installationFixture();
    const details = [detailFixture({ installation })];
    const bff = createFakeBff({ isSignedIn: false, code: 'once', details });
    renderAdmin(bff, '/installations/acme?from=list');

    await userEvent.type(await screen.findByLabelText('One-time code'), 'once');
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));

    expect(await screen.findByRole('heading', { name: /acme\.example\.com/ })).toBeDefined();
    expect(window.location.pathname).toBe('/admin/installations/acme');
    expect(window.location.search).toBe('?from=list');
  });

  it('is asked for when an answer says that the session is over', async () => {
    const bff = createFakeBff({ installations: [installationFixture()] });
    const { changes } = renderAdmin(bff, '/installations?group=working');
    await screen.findByRole('table', { name: 'Installations' });

    bff.isSignedIn = false;
    changes.announce('acme');

    expect(await screen.findByLabelText('One-time code')).toBeDefined();
    expect(new URLSearchParams(window.location.search).get('returnTo')).toBe(
      '/installations?group=working',
    );
  });

  it('is asked for after signing out', async () => {
    const bff = createFakeBff();
    renderAdmin(bff, '/');

    await userEvent.click(await screen.findByRole('button', { name: 'Sign out' }));

    expect(await screen.findByLabelText('One-time code')).toBeDefined();
    expect(bff.isSignedIn).toBe(false);
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
