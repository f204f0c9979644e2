import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createFakeBff } from '../testing/fake-bff.ts';
import { renderAdmin } from '../testing/render-admin.tsx';

/** As a browser does that blocks a site's data: the property itself throws. */
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
