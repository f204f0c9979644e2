/** The description of the dashboard's API, and its routes. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startWorld, type World } from '../testing/start-world.ts';
import { route } from './admin-route.ts';

interface Described {
  paths: Record<
    string,
    Record<
      string,
      {
        security: object[];
        responses: Record<string, { content?: Record<string, { schema: object }> }>;
      }
    >
  >;
}

let world: World;
let cookie: string;
let document: Described;

beforeAll(async () => {
  world = await startWorld();
  cookie = await world.signIn();
  document = (await (await call('GET', '/openapi.json')).json()) as Described;
});
afterAll(() => world[Symbol.asyncDispose]());

const call = (method: string, path: string, headers: Record<string, string> = { cookie }) =>
  fetch(`${world.url}/admin/api${path}`, { method, headers: { 'x-dowel-csrf': '1', ...headers } });

test('the document is OpenAPI, and each answer to a read is as it says', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
  expect([valid, errors]).toEqual([true, undefined]);
  const { installationId } = await world.install();
  await world.writeDeliveries();
  const query = { limit: 1, order: 'newest' } as const;
  const [delivery] = (await world.store.reports.listDeliveries(query)).deliveries;
  const queries: Record<string, string> = {
    '/fleet/export': '?format=json',
    '/fleet/rows': `?ids=${installationId}`,
    '/refusals': `?from=${Date.now() - 3_600_000}&to=${Date.now()}`,
  };
  const reads = Object.entries(document.paths).filter(
    ([path, { get }]) => get?.responses[200] && !/changes|runs\/\{/.test(path),
  );
  expect(reads.length).toBeGreaterThan(15);

  for (const [path, { get }] of reads) {
    const id = path.startsWith('/deliveries') ? (delivery?.id ?? '') : installationId;
    const url = path.replace('{id}', id);
    const answer = await call('GET', `${url}${queries[path] ?? ''}`);
    const { schema = {} } = get?.responses[200]?.content?.['application/json'] ?? {};
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    const isValid = check(await answer.json());
    expect([path, answer.status, isValid, check.errors]).toEqual([path, 200, true, null]);
  }
});

test('F12: each route but those of the sign-in refuses a request without a session', async () => {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({ path, method, security })),
  );
  const open = routes.filter(({ security }) => security.length === 0);
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'post /session',
    'post /session/password',
    'get /session/methods',
    'get /session/oidc',
    'get /session/oidc/callback',
    'post /password-links/check',
    'post /password-links/redeem',
  ]);

  for (const { method, path } of routes.filter((each) => !open.includes(each))) {
    const answer = await call(method.toUpperCase(), path.replaceAll(/[{}]/g, ''), {});
    expect([method, path, answer.status]).toEqual([method, path, 401]);
  }
});

test('an answer of another shape does not compile', () => {
  const answer = z.object({ id: z.string() });
  const spec = { role: 'viewer', summary: 'Shows one', answer } as const;

  route('GET /one', { ...spec, handle: async () => ({ id: 'a' }) });
  // @ts-expect-error: the id is a string
  route('GET /one', { ...spec, handle: async () => ({ id: 1 }) });
  // @ts-expect-error: the path has no such parameter
  route('GET /one', { ...spec, handle: async ({ params }) => ({ id: params.id }) });
});
