import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { i18nOf } from '../testing/i18n-of.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

// Registered first, it runs last: then no test blocks the storage any more.
beforeEach((context) => context.onTestFinished(() => localStorage.clear()));

/** Makes the property throw, like a browser that blocks a site's data. */
function blockStorage(): void {
  const storage = vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  });
  // Mantine warns that it cannot remember the scheme.
  const warning = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => {
    storage.mockRestore();
    warning.mockRestore();
  });
}

it('language and scheme can be chosen in a browser that blocks storage', async () => {
  blockStorage();
  renderAdmin(createFakeBff(), '/');
  await userEvent.keyboard('x');

  await userEvent.click(await screen.findByRole('button', { name: 'Theme and language' }));
  await userEvent.click(await screen.findByRole('radio', { name: 'Dark' }));
  await userEvent.click(screen.getByRole('radio', { name: 'Deutsch' }));

  expect(await screen.findByRole('heading', { name: 'Übersicht' })).toBeDefined();
  await waitFor(() => {
    expect(document.documentElement.dataset.mantineColorScheme).toBe('dark');
  });
});

it('a language whose texts do not load is not shown, and can be chosen again', async () => {
  const i18n = i18nOf('en');
  vi.spyOn(i18n, 'addResourceBundle').mockImplementationOnce(() => {
    throw new TypeError('Failed to fetch dynamically imported module');
  });
  renderAdmin(createFakeBff(), '/', i18n);
  await userEvent.click(await screen.findByRole('button', { name: 'Theme and language' }));
  const german = await screen.findByRole('radio', { name: 'Deutsch' });

  await userEvent.click(german);
  expect((await screen.findByRole('alert')).textContent).toContain('could not be loaded');
  expect(screen.getByRole('heading', { name: 'Overview' })).toBeDefined();
  expect(localStorage.getItem('dowel-language')).toBeNull();

  await userEvent.click(german);
  expect(await screen.findByRole('heading', { name: 'Übersicht' })).toBeDefined();
  expect(screen.queryByRole('alert')).toBeNull();
});

it('the language that the operator chose in another browser is shown', async () => {
  renderAdmin(createFakeBff({ language: 'de' }), '/', i18nOf('en'));

  expect(await screen.findByRole('heading', { name: 'Übersicht' })).toBeDefined();
  expect(localStorage.getItem('dowel-language')).toBe('de');
});

it('a chosen language is stored for the other browsers', async () => {
  const bff = createFakeBff({ language: 'en' });
  renderAdmin(bff, '/', i18nOf('en'));
  await userEvent.click(await screen.findByRole('button', { name: 'Theme and language' }));

  await userEvent.click(await screen.findByRole('radio', { name: 'Deutsch' }));

  expect(await screen.findByRole('heading', { name: 'Übersicht' })).toBeDefined();
  await waitFor(() => expect(bff.language).toBe('de'));
});

it('a chosen language stays in this browser if it cannot be stored', async () => {
  const bff = createFakeBff({ language: 'en', failing: ['/session/language'] });
  const { changes } = renderAdmin(bff, '/', i18nOf('en'));
  await userEvent.click(await screen.findByRole('button', { name: 'Theme and language' }));
  await userEvent.click(await screen.findByRole('radio', { name: 'Deutsch' }));
  await screen.findByRole('heading', { name: 'Übersicht' });
  const sessionLoads = () => bff.requests.filter(({ url }) => url.endsWith('/session')).length;
  const loads = sessionLoads();

  // The page reads the session again when the stream is refused.
  act(() => {
    changes.readyState = 2;
    changes.dispatchEvent(new Event('error'));
  });
  await waitFor(() => expect(sessionLoads()).toBe(loads + 1));
  await act(async () => {});

  expect(screen.getByRole('heading', { name: 'Übersicht' })).toBeDefined();
});
