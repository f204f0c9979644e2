/** All pages of the dashboard, and the session that they need. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ApiClient } from './api/api-client.ts';
import { hasStatus } from './api/api-failure.ts';
import type { ChangeSource } from './api/live-changes.ts';
import { sessionQuery } from './api/queries.ts';
import { parseAuditSearch } from './audit/audit-search.ts';
import { basePath } from './base-path.ts';
import { parseCallsSearch } from './calls/calls-search.ts';
import { parseEventsSearch } from './events/events-search.ts';
import { parseListSearch } from './installations/list-search.ts';
import { lazyPage } from './lazy-page.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { OperatorShell } from './shell/operator-shell.tsx';
import { PageFailure } from './shell/page-failure.tsx';
import { StartFailurePage } from './shell/start-failure-page.tsx';
import { parseSignInSearch } from './sign-in/return-address.ts';
import { SignInPage } from './sign-in/sign-in-page.tsx';

export interface AdminRouterOptions {
  api: ApiClient;
  queryClient: QueryClient;
  openChanges?: ((url: string) => ChangeSource) | undefined;
  history?: RouterHistory | undefined;
}

type RouterContext = Pick<AdminRouterOptions, 'api' | 'queryClient' | 'openChanges'>;

/** After the first page was loaded, which needs the network for itself. */
const loadAllAfterMs = 2_000;

const pages = {
  overview: lazyPage(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
  installations: lazyPage(
    () => import('./installations/installations-page.tsx'),
    'InstallationsPage',
  ),
  installation: lazyPage(() => import('./installation/installation-page.tsx'), 'InstallationPage'),
  audit: lazyPage(() => import('./audit/audit-page.tsx'), 'AuditPage'),
  calls: lazyPage(() => import('./calls/calls-page.tsx'), 'CallsPage'),
  events: lazyPage(() => import('./events/events-page.tsx'), 'EventsPage'),
  hooks: lazyPage(() => import('./hooks/hooks-page.tsx'), 'HooksPage'),
  alerts: lazyPage(() => import('./alerts/alerts-page.tsx'), 'AlertsPage'),
  keys: lazyPage(() => import('./keys/keys-page.tsx'), 'KeysPage'),
  people: lazyPage(() => import('./people/people-page.tsx'), 'PeoplePage'),
  settings: lazyPage(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
};

const root = createRootRouteWithContext<RouterContext>()({ notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: parseSignInSearch,
  component: () => <SignInPage {...signIn.useSearch()} />,
});

const password = createRoute({
  getParentRoute: () => root,
  path: '/password',
  ...lazyPage(() => import('./sign-in/password-page.tsx'), 'PasswordPage'),
});

/** The pages that need a session. */
const operator = createRoute({
  getParentRoute: () => root,
  id: 'operator',
  beforeLoad: ({ context, location }) => requireSession(context, location.href),
  component: OperatorPages,
  errorComponent: StartFailurePage,
});

function OperatorPages() {
  useEffect(() => {
    const loading = setTimeout(loadAllPages, loadAllAfterMs);
    return () => clearTimeout(loading);
  }, []);
  return <OperatorShell openChanges={operator.useRouteContext().openChanges} />;
}

/** So that each page can be opened while Dowel does not answer. */
function loadAllPages(): void {
  for (const { loader } of Object.values(pages)) loader().catch(() => {});
}

async function requireSession(
  { api, queryClient }: RouterContext,
  returnTo: string,
): Promise<void> {
  try {
    await queryClient.ensureQueryData(sessionQuery(api));
  } catch (error) {
    if (!hasStatus(error, 401)) throw error;
    throw redirect({ to: '/sign-in', search: { returnTo }, replace: true });
  }
}

const overview = createRoute({
  getParentRoute: () => operator,
  path: '/',
  ...pages.overview,
});

const installations = createRoute({
  getParentRoute: () => operator,
  path: '/installations',
  validateSearch: parseListSearch,
  ...pages.installations,
});

const installation = createRoute({
  getParentRoute: () => operator,
  path: '/installations/$id',
  ...pages.installation,
});

const audit = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  validateSearch: parseAuditSearch,
  ...pages.audit,
});

const calls = createRoute({
  getParentRoute: () => operator,
  path: '/calls',
  validateSearch: parseCallsSearch,
  ...lazyPage(() => import('./calls/calls-page.tsx'), 'CallsPage'),
});

const events = createRoute({
  getParentRoute: () => operator,
  path: '/events',
  validateSearch: parseEventsSearch,
  ...pages.events,
});

/** The address of before, in messages of alerts. */
const refused = createRoute({
  getParentRoute: () => operator,
  path: '/refused',
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/events', search: parseEventsSearch(search), replace: true });
  },
});

const hooks = createRoute({
  getParentRoute: () => operator,
  path: '/hooks',
  ...pages.hooks,
});

const alerts = createRoute({
  getParentRoute: () => operator,
  path: '/alerts',
  ...pages.alerts,
});

const keys = createRoute({
  getParentRoute: () => operator,
  path: '/keys',
  ...pages.keys,
});

const people = createRoute({
  getParentRoute: () => operator,
  path: '/people',
  ...pages.people,
});

const settings = createRoute({
  getParentRoute: () => operator,
  path: '/settings',
  ...pages.settings,
});

const routeTree = root.addChildren([
  signIn,
  password,
  operator.addChildren([
    overview,
    installations,
    installation,
    calls,
    events,
    refused,
    hooks,
    alerts,
    keys,
    audit,
    people,
    settings,
  ]),
]);

/** The dashboard's router. Every page but the sign-in page is loaded when it is first opened. */
export function createAdminRouter({ history, ...context }: AdminRouterOptions) {
  return createRouter({
    basepath: basePath,
    routeTree,
    context,
    scrollRestoration: true,
    defaultErrorComponent: PageFailure,
    ...(history ? { history } : {}),
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAdminRouter>;
  }
}
