/** All pages of the dashboard, and the session that they need. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router';
import type { ApiClient } from './api/api-client.ts';
import { hasStatus } from './api/api-failure.ts';
import type { ChangeSource } from './api/live-changes.ts';
import { sessionQuery } from './api/queries.ts';
import { parseAuditSearch } from './audit/audit-search.ts';
import { basePath } from './base-path.ts';
import { parseListSearch } from './installations/list-search.ts';
import { parseRefusedSearch } from './refused/refused-search.ts';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { OperatorShell } from './shell/operator-shell.tsx';
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

const root = createRootRouteWithContext<RouterContext>()({ notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: parseSignInSearch,
  component: () => <SignInPage {...signIn.useSearch()} />,
});

/** The pages that need a session. */
const operator = createRoute({
  getParentRoute: () => root,
  id: 'operator',
  beforeLoad: ({ context, location }) => requireSession(context, location.href),
  component: () => <OperatorShell openChanges={operator.useRouteContext().openChanges} />,
  errorComponent: StartFailurePage,
});

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
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
});

const installations = createRoute({
  getParentRoute: () => operator,
  path: '/installations',
  validateSearch: parseListSearch,
  component: lazyRouteComponent(
    () => import('./installations/installations-page.tsx'),
    'InstallationsPage',
  ),
});

const installation = createRoute({
  getParentRoute: () => operator,
  path: '/installations/$id',
  component: lazyRouteComponent(
    () => import('./installation/installation-page.tsx'),
    'InstallationPage',
  ),
});

const audit = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  validateSearch: parseAuditSearch,
  component: lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'AuditPage'),
});

const refused = createRoute({
  getParentRoute: () => operator,
  path: '/refused',
  validateSearch: parseRefusedSearch,
  component: lazyRouteComponent(() => import('./refused/refused-page.tsx'), 'RefusedPage'),
});

const hooks = createRoute({
  getParentRoute: () => operator,
  path: '/hooks',
  component: lazyRouteComponent(() => import('./hooks/hooks-page.tsx'), 'HooksPage'),
});

const alerts = createRoute({
  getParentRoute: () => operator,
  path: '/alerts',
  component: lazyRouteComponent(() => import('./alerts/alerts-page.tsx'), 'AlertsPage'),
});

const keys = createRoute({
  getParentRoute: () => operator,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'KeysPage'),
});

const people = createRoute({
  getParentRoute: () => operator,
  path: '/people',
  component: lazyRouteComponent(() => import('./people/people-page.tsx'), 'PeoplePage'),
});

const settings = createRoute({
  getParentRoute: () => operator,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
});

const routeTree = root.addChildren([
  signIn,
  operator.addChildren([
    overview,
    installations,
    installation,
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
    defaultPendingMs: 300,
    ...(history ? { history } : {}),
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAdminRouter>;
  }
}
