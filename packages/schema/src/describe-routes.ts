/** HTTP routes with zod schemas as an OpenAPI 3.1 document, for scripts and other languages. */
import { z } from 'zod';

export interface DescribedRoute {
  method: string;
  /** With parameters such as `:id`. */
  path: string;
  /** Without a full stop. */
  summary: string;
  needsSession: boolean;
  /** Schemas of the headers that a request needs. */
  headers?: Record<string, object>;
  query?: z.ZodType | undefined;
  body?: z.ZodType | undefined;
  answer?: z.ZodType | undefined;
  /** The body of a 409. */
  refusal?: z.ZodType | undefined;
  /** Default: 200 with an answer, 204 without one. */
  status?: number | undefined;
  /** Of the answer. Default `application/json`. */
  mediaType?: string | undefined;
}

export interface DescribedApi {
  title: string;
  version: string;
  description: string;
  /** The base of all paths. */
  url: string;
  /** The name of the session's cookie. */
  cookieName: string;
  /** The body of every error. */
  error: z.ZodType;
}

/** Returns the document, ready for JSON. */
export function describeRoutes(
  routes: readonly DescribedRoute[],
  { url, cookieName, error, ...info }: DescribedApi,
) {
  const errorContent = contentOf(describe(error, 'output'));
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const described = describeRoute(route, errorContent);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: described };
  }
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url }],
    paths,
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: cookieName } },
    },
  };
}

function describeRoute(route: DescribedRoute, errorContent: object) {
  const { path, summary, needsSession, headers = {}, query, body, answer, refusal } = route;
  const { status = answer ? 200 : 204, mediaType = 'application/json' } = route;
  // A stream omits default values; its reader's schema adds them.
  const io = mediaType === 'application/json' ? 'output' : 'input';
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return {
    summary: `${summary}.`,
    security: needsSession ? [{ session: [] }] : [],
    parameters: [
      ...names.map((name) => parameterOf('path', name, { type: 'string' })),
      ...(query ? describeQuery(query) : []),
      ...Object.entries(headers).map(([name, schema]) => parameterOf('header', name, schema)),
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
      default: { description: 'An error', content: errorContent },
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
