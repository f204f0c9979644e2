import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { lazy } from 'react';
import { I18nextProvider } from 'react-i18next';
import { expect, it, onTestFinished, vi } from 'vitest';
import { i18nOf } from '../testing/i18n-of.ts';
import { LatePart } from './late-part.tsx';

it('a dialog whose code cannot be loaded leaves the page, and says what to do', async () => {
  // React logs what an error boundary catches.
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => log.mockRestore());
  const Missing = lazy(() =>
    Promise.reject(new TypeError('Failed to fetch dynamically imported module')),
  );

  const { unmount } = render(
    <I18nextProvider i18n={i18nOf('en')}>
      <MantineProvider env="test">
        <main>The page</main>
        <LatePart onClose={() => {}}>
          <Missing />
        </LatePart>
      </MantineProvider>
    </I18nextProvider>,
  );
  onTestFinished(unmount);

  expect((await screen.findByRole('alert')).textContent).toContain('Load the page again.');
  expect(screen.getByRole('button', { name: 'Load again' })).toBeDefined();
  expect(screen.getByText('The page')).toBeDefined();
});
