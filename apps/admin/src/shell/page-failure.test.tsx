import { MantineProvider } from '@mantine/core';
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, render, screen, waitFor } from '@testing-library/react';
import { I18nextProvider } from 'react-i18next';
import { expect, it, onTestFinished, vi } from 'vitest';
import { lazyPage } from '../lazy-page.tsx';
import { i18nOf } from '../testing/i18n-of.ts';

/** Shows a page whose code, or whose component, fails with these errors, one after the other, then not. */
function renderPage(errors: Error[], failsIn: 'code' | 'component') {
  // React and the router log what an error boundary catches.
  const logs = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')];
  for (const log of logs) log.mockImplementation(() => undefined);
  const fail = vi.fn(() => {
    const error = errors.shift();
    if (error) throw error;
  });
  const Page = () => {
    if (failsIn === 'component') fail();
    return <p>The page</p>;
  };
  const importPage = async () => {
    if (failsIn === 'code') fail();
    return { Page };
  };
  const routeTree = createRootRoute(lazyPage(importPage, 'Page'));
  const router = createRouter({ routeTree, history: createMemoryHistory() });
  const { unmount } = render(
    <I18nextProvider i18n={i18nOf('en')}>
      <MantineProvider env="test">
        <RouterProvider router={router} />
      </MantineProvider>
    </I18nextProvider>,
  );
  onTestFinished(() => {
    unmount();
    for (const log of logs) log.mockRestore();
    vi.useRealTimers();
  });
  return fail;
}

it('a page that cannot be reached is loaded again until it can, and its alert stays', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const load = renderPage(
    [new TypeError('Failed to fetch'), new TypeError('Failed to fetch')],
    'code',
  );
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('This page cannot be loaded');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Not available');

  act(() => {
    vi.advanceTimersByTime(5_000);
  });
  await waitFor(() => expect(load).toHaveBeenCalledTimes(2));
  await act(async () => {});
  expect(screen.getByRole('alert')).toBe(alert);

  act(() => {
    vi.advanceTimersByTime(5_000);
  });
  expect(await screen.findByText('The page')).toBeDefined();
  expect(screen.queryByRole('alert')).toBeNull();
});

it('a page with an error of its own says so, and waits for the reader', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const errors = Array.from({ length: 9 }, () => new TypeError('x is undefined'));
  const show = renderPage(errors, 'component');
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('This page failed');
  expect(screen.getByRole('heading', { level: 1 })).toBeDefined();

  const shown = show.mock.calls.length;
  act(() => {
    vi.advanceTimersByTime(60_000);
  });
  await act(async () => {});
  expect(show).toHaveBeenCalledTimes(shown);

  errors.length = 0;
  act(() => screen.getByRole('button', { name: 'Try again' }).click());
  expect(await screen.findByText('The page')).toBeDefined();
});
