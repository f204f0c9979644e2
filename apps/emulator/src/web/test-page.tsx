/** Renders a part of the pages for a test, with an emulator that answers from a table. */
import { MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render } from '@testing-library/react';
import { I18nextProvider } from 'react-i18next';
import { onTestFinished, vi } from 'vitest';
import { createI18n } from './i18n/create-i18n.ts';
import { createQueryClient } from './query-client.ts';

/** At the end of the test the page, its address and stubbed globals are gone. */
export function renderPage(page: React.ReactNode, i18n = createI18n('en')) {
  // The messages of earlier tests are still in the library's own store.
  notifications.clean();
  onTestFinished(() => {
    cleanup();
    vi.unstubAllGlobals();
    window.location.hash = '';
  });
  return render(
    <I18nextProvider i18n={i18n}>
      <MantineProvider env="test">
        <QueryClientProvider client={createQueryClient(i18n)}>
          <Notifications />
          {page}
        </QueryClientProvider>
      </MantineProvider>
    </I18nextProvider>,
  );
}

export interface FakeAnswer {
  status: number;
  body?: unknown;
}

/** Keys are `METHOD /control/path`; a call without an entry is answered 404. */
export function answerControl(answers: Record<string, FakeAnswer>) {
  const fetchFake = vi.fn(async (path: string, init?: RequestInit) => {
    const answer = answers[`${init?.method ?? 'GET'} ${path}`] ?? { status: 404 };
    const body = answer.body === undefined ? null : JSON.stringify(answer.body);
    return new Response(body, { status: answer.status });
  });
  vi.stubGlobal('fetch', fetchFake);
  return fetchFake;
}
