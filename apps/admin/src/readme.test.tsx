import { cleanup, render, screen } from '@testing-library/react';
import { expect, onTestFinished, test } from 'vitest';
import { createAdmin } from './create-admin.tsx';
import { createFakeBff } from './testing/fake-bff.ts';
import { installationFixture } from './testing/fixtures.ts';
import { i18nOf } from './testing/i18n-of.ts';

test('the example of the README shows the installations', async () => {
  onTestFinished(cleanup);
  window.history.replaceState(null, '', '/admin/');
  const bff = createFakeBff({ installations: [installationFixture()] });

  const { element, router } = createAdmin({
    i18n: i18nOf('en'),
    fetch: bff.fetch,
    openChanges: () => Object.assign(new EventTarget(), { readyState: 1, close: () => {} }),
    env: 'test',
  });
  render(element);
  onTestFinished(() => router.history.destroy());
  const verdict = await screen.findByRole('heading', { name: /should work do/ });

  expect(verdict.textContent).toBe('The one installation that should work does.');
});
