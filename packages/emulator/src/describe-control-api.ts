/** The control API as an OpenAPI 3.1 document, for scripts and other languages. */
import { z } from 'zod';
import { failureSchema } from './control-api.ts';
import type { ControlRoute } from './control-route.ts';

/** Returns the document, ready for JSON. */
export function describeControlApi(
  routes: readonly ControlRoute[],
  { origin, cookieName }: { origin: string; cookieName: string },
) {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'The control API of the emulated platform',
      version: '1',
      description:
        'What a person does on a real platform, and what only an emulator can do. Sign in first: the answer sets a cookie. Points in time are epoch milliseconds.',
    },
    servers: [{ url: `${origin}/control` }],
    paths,
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: cookieName } },
    },
  };
}

function describeRoute({
  path,
  summary,
  needsSession,
  query,
  body,
  answer,
  ...route
}: ControlRoute) {
  const { status = answer ? 200 : 204 } = route;
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return {
    summary: `${summary}.`,
    security: needsSession ? [{ session: [] }] : [],
    parameters: [
      ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...(query ? describeQuery(query) : []),
    ],
    ...(body && { requestBody: { required: true, content: contentOf(describe(body, 'input')) } }),
    responses: {
      [status]: {
        description: answer ? 'Done' : 'Done, without a body',
        ...(answer && { content: contentOf(describe(answer, 'output')) }),
      },
      default: { description: 'An error', content: contentOf(errorSchema) },
    },
  };
}

function describeQuery(query: z.ZodType) {
  const { properties = {}, required = [] } = describe(query, 'input');
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

const contentOf = (schema: object) => ({ 'application/json': { schema } });

/** @param io `input`: members with a default may be left out. */
function describe(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { unrepresentable: 'any', io });
  return described;
}

/** `deliveries` of a failed installation or update only. */
const errorSchema = describe(
  failureSchema.extend({ code: z.string() }).partial({ deliveries: true }),
  'output',
);
