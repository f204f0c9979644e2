/** Assembles the dashboard. All access to the outside comes from its options. */
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { type RouterHistory, RouterProvider } from '@tanstack/react-router';
import { createApiClient } from './api/api-client.ts';
import { ApiProvider } from './api/api-context.tsx';
import type { ChangeSource } from './api/live-changes.ts';
import { watchPerson } from './api/person-activity.ts';
import { createQueryClient } from './api/query-client.ts';
import { createAdminRouter } from './router.tsx';
import { TickerProvider } from './shared/ticker.tsx';
import { colorSchemeManager, theme } from './theme.ts';

export interface AdminOptions {
  fetch?: typeof globalThis.fetch;
  openChanges?: (url: string) => ChangeSource;
  history?: RouterHistory;
  env?: 'default' | 'test';
}

export function createAdmin(options: AdminOptions = {}) {
  const api = createApiClient(
    options.fetch ?? ((...request) => globalThis.fetch(...request)),
    watchPerson(document, () => performance.now()),
  );
  const queryClient = createQueryClient(leaveToSignIn);
  const router = createAdminRouter({
    api,
    queryClient,
    openChanges: options.openChanges,
    history: options.history,
  });

  function leaveToSignIn(): void {
    const { href, pathname } = router.latestLocation;
    if (pathname === '/sign-in') return;
    queryClient.removeQueries();
    void router.navigate({ to: '/sign-in', search: { returnTo: href }, replace: true });
  }

  const element = (
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
          <TickerProvider>
            <RouterProvider router={router} />
          </TickerProvider>
        </ApiProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
  return { element, router };
}
