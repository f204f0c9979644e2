import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { accepted } from '../fixtures.ts';
import { answerControl, renderPage } from '../test-page.tsx';
import { InstallForm } from './install-form.tsx';

afterEach(() => document.head.replaceChildren());

const manifestUrl = 'http://localhost:4310/manifest.json';
const refusal = {
  code: 'REFUSED',
  message: 'The plug-in refused the access_token event',
  deliveries: [
    accepted,
    {
      ...accepted,
      id: 2,
      event: 'access_token',
      status: 403,
      error: { code: 'REFUSED', message: 'Scope plugin:notify is missing' },
    },
    { ...accepted, id: 3, event: 'uninstall' },
  ],
};

async function install(url: string) {
  renderPage(<InstallForm />);
  const user = userEvent.setup();
  await user.type(screen.getByRole('textbox', { name: 'Manifest URL' }), url);
  await user.click(screen.getByRole('button', { name: 'Install' }));
}

describe('the install form', () => {
  it('says in words why an installation failed and which events led to it', async () => {
    answerControl({ 'POST /control/plugins': { status: 422, body: refusal } });

    await install(manifestUrl);

    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The installation failed');
    expect(alert.textContent).toContain('The plug-in refused the access_token event (REFUSED)');
    expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      'install was sent: 201 accepted',
      'access_token was sent: 403 refusedScope plugin:notify is missing',
      'uninstall was sent: 201 accepted',
    ]);
  });

  it('sends the manifest URL that was typed', async () => {
    const fetchFake = answerControl({ 'POST /control/plugins': { status: 422, body: refusal } });

    await install(manifestUrl);

    await screen.findByRole('alert');
    expect(fetchFake.mock.calls[0]?.[1]?.body).toBe(JSON.stringify({ manifestUrl }));
  });

  it('says so when the emulator does not answer', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));

    await install(manifestUrl);

    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('The emulator does not answer');
  });

  it.each(['manifest.json', 'localhost:4310/manifest.json', 'file:///manifest.json'])(
    'calls nothing when the text is %s, which is no web address',
    async (text) => {
      const fetchFake = answerControl({});

      await install(text);

      expect(screen.getByText(/Give the full address/)).toBeTruthy();
      expect(fetchFake).not.toHaveBeenCalled();
    },
  );

  it('suggests the manifest that the server names in the page', () => {
    const meta = document.createElement('meta');
    meta.name = 'dowel-sample-manifest';
    meta.content = manifestUrl;
    document.head.append(meta);

    renderPage(<InstallForm />);

    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Manifest URL' });
    expect(field.value).toBe(manifestUrl);
  });
});
