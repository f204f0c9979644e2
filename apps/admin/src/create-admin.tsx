/** Assembles the dashboard. All access to network and browser comes from its options. */
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { type RouterHistory, RouterProvider } from '@tanstack/react-router';
import type { i18n } from 'i18next';
import { I18nextProvider } from 'react-i18next';
import { createApiClient } from './api/api-client.ts';
import { ApiProvider } from './api/api-context.tsx';
import { dropUnlistedRows } from './api/apply-changes.ts';
import { FleetRows, FleetRowsProvider } from './api/fleet-rows.ts';
import type { ChangeSource } from './api/live-changes.ts';
import { watchPerson } from './api/person-activity.ts';
import { sessionKey } from './api/queries.ts';
import { createQueryClient, type SessionEnd } from './api/query-client.ts';
import { createAdminRouter } from './router.tsx';
import { TickerProvider } from './shared/ticker.tsx';
import { colorSchemeManager, theme } from './theme.ts';

export interface AdminOptions {
  i18n: i18n;
  fetch?: typeof globalThis.fetch;
  openChanges?: (url: string) => ChangeSource;
  history?: RouterHistory;
  env?: 'default' | 'test';
}

export function createAdmin(options: AdminOptions) {
  const api = createApiClient(
    options.fetch ?? ((...request) => globalThis.fetch(...request)),
    watchPerson(document, () => performance.now()),
  );
  const queryClient = createQueryClient(leaveToSignIn);
  const { i18n } = options;
  nameLanguage(i18n, document);
  const rows = new FleetRows();
  dropUnlistedRows({ queryClient, rows });
  const router = createAdminRouter({
    api,
    queryClient,
    openChanges: options.openChanges,
    history: options.history,
  });

  function leaveToSignIn(end: SessionEnd): void {
    const { href, pathname } = router.latestLocation;
    if (pathname === '/sign-in') return;
    const hadSession = queryClient.getQueryData(sessionKey) !== undefined;
    queryClient.removeQueries();
    rows.clear();
    const search = { returnTo: href, ended: hadSession ? end : undefined };
    void router.navigate({ to: '/sign-in', search, replace: true });
  }

  const element = (
    <I18nextProvider i18n={i18n}>
      <MantineProvider
        theme={theme}
        colorSchemeManager={colorSchemeManager}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
        env={options.env ?? 'default'}
      >
        <QueryClientProvider client={queryClient}>
          <ApiProvider api={api}>
            <FleetRowsProvider value={rows}>
              <TickerProvider>
                <RouterProvider router={router} />
              </TickerProvider>
            </FleetRowsProvider>
          </ApiProvider>
        </QueryClientProvider>
      </MantineProvider>
    </I18nextProvider>
  );
  return { element, router };
}

/** Screen readers and the browser's hyphenation follow the document's language. */
function nameLanguage(i18n: i18n, target: Document): void {
  target.documentElement.lang = i18n.language;
  i18n.on('languageChanged', (language) => {
    target.documentElement.lang = language;
  });
}
