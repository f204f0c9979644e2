/** The dashboard's API as an OpenAPI 3.1 document, for scripts of operators. */
import { apiErrorSchema } from '@dowel/schema';
import { z } from 'zod';
import type { AdminRoute } from './admin-route.ts';

export interface DescribedApi {
  /** Without a slash at its end. */
  adminUrl: string;
  /** The name of the session's cookie. */
  cookieName: string;
  version: string;
}

/** Returns the document, ready for JSON. */
export function describeRoutes(
  routes: readonly AdminRoute[],
  { adminUrl, cookieName, version }: DescribedApi,
) {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: "Dowel: the dashboard's API",
      version,
      description:
        'Sign in first: the answer sets a cookie. Requests that change something need the header `X-Dowel-CSRF: 1`.',
    },
    servers: [{ url: `${adminUrl}/admin/api` }],
    paths,
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: cookieName } },
    },
  };
}

function describeRoute(route: AdminRoute) {
  const { method, path, summary, role, query, body, answer, refusal } = route;
  const { status = answer ? 200 : 204, mediaType = 'application/json' } = route;
  // The stream omits default values; the page's schema adds them.
  const io = mediaType === 'application/json' ? 'output' : 'input';
  return {
    summary: role ? `${summary}. Needs the role ${role}.` : `${summary}.`,
    security: role ? [{ session: [] }] : [],
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
        parameterOf('path', name, { type: 'string' }),
      ),
      ...(query ? describeQuery(query) : []),
      ...(method === 'GET' ? [] : [parameterOf('header', 'X-Dowel-CSRF', { const: '1' })]),
    ],
    ...(body && { requestBody: { required: true, content: contentOf(describe(body, 'input')) } }),
    responses: {
      [status]: {
        description: answer ? 'Done' : 'Done, without a body',
        ...(answer && { content: contentOf(describe(answer, io), mediaType) }),
      },
      ...(refusal && {
        409: { description: 'Refused, and why', content: contentOf(describe(refusal, 'output')) },
      }),
      default: { description: 'An error', content: contentOf(errorSchema) },
    },
  };
}

function describeQuery(query: z.ZodType) {
  const { properties = {}, required = [] } = describe(query, 'input');
  return Object.entries(properties).map(([name, schema]) =>
    parameterOf('query', name, schema, required.includes(name)),
  );
}

function parameterOf(where: string, name: string, schema: unknown, required = true) {
  return { name, in: where, required, schema };
}

function contentOf(schema: object, mediaType = 'application/json') {
  return { [mediaType]: { schema } };
}

/** @param io `input`: members with a default may be left out. */
function describe(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { unrepresentable: 'any', io });
  return described;
}

const errorSchema = describe(apiErrorSchema, 'output');
