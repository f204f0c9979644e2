/** The dashboard's API as an OpenAPI document, for scripts of operators. */
import { apiErrorSchema } from '@dowel/schema';
import { describeRoutes } from '@dowel/schema/openapi';
import type { AdminRoute } from './admin-route.ts';

export interface DescribedAdminApi {
  /** Without a slash at its end. */
  adminUrl: string;
  /** The name of the session's cookie. */
  cookieName: string;
  version: string;
}

/** Returns the document, ready for JSON. */
export function describeAdminApi(
  routes: readonly AdminRoute[],
  { adminUrl, ...api }: DescribedAdminApi,
) {
  const described = routes.map(({ role, summary, ...route }) => ({
    ...route,
    summary: role ? `${summary}. Needs the role ${role}` : summary,
    needsSession: role !== undefined,
    headers: route.method === 'GET' ? {} : { 'X-Dowel-CSRF': { const: '1' } },
  }));
  return describeRoutes(described, {
    ...api,
    title: "Dowel: the dashboard's API",
    description:
      'Sign in first: the answer sets a cookie. Requests that change something need the header `X-Dowel-CSRF: 1`.',
    url: `${adminUrl}/admin/api`,
    error: apiErrorSchema,
  });
}
