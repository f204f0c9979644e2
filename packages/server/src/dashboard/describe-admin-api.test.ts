/** The description of the dashboard's API, against its routes and answers. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../testing/start-world.ts';

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  components: { securitySchemes: { session: { name: string } } };
}

let world: World;
let cookie: string;
let document: Described;

beforeAll(async () => {
  world = await startWorld();
  cookie = await world.signIn();
  document = (await (await get('/openapi.json')).json()) as Described;
});
afterAll(() => world[Symbol.asyncDispose]());

const get = (path: string) => fetch(`${world.url}/admin/api${path}`, { headers: { cookie } });

test('is an OpenAPI document', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never);

  expect([valid, errors]).toEqual([true, undefined]);
});

test('names the cookie of the session', () => {
  expect(cookie).toContain(`${document.components.securitySchemes.session.name}=`);
});

test('has every route, and no other', () => {
  const real = world.routes
    .filter(({ path, method }) => path.startsWith('/admin/api/') && method !== 'HEAD')
    .map(({ method, path }) => `${method} ${path.slice('/admin/api'.length)}`);
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ),
  );

  expect(described.toSorted()).toEqual(real.toSorted());
});

test('describes the answers as they are', async () => {
  const { installationId } = await world.install();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'api');
  const readable = Object.entries(document.paths)
    .filter(
      ([path, { get: route }]) => route?.responses[200] && !/oidc|changes|runs\/\{/.test(path),
    )
    .map(([path]) => path);
  expect(readable.length).toBeGreaterThan(15);
  const queries: Record<string, string> = {
    '/fleet/export': '?format=json',
    '/fleet/rows': `?ids=${installationId}`,
    '/refusals': `?from=${Date.now() - 3_600_000}&to=${Date.now()}`,
  };

  for (const path of readable) {
    const query = queries[path] ?? '';
    const answer = await get(`${path.replace('{id}', installationId)}${query}`);
    const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1');
    const validate = ajv.getSchema(
      `api#/paths/${encodeURIComponent(pointer)}/get/responses/200/content/application~1json/schema`,
    );
    const isValid = validate?.(await answer.json());
    expect([path, answer.status, isValid, validate?.errors]).toEqual([path, 200, true, null]);
  }
});

test('is for operators only', async () => {
  expect((await fetch(`${world.url}/admin/api/openapi.json`)).status).toBe(401);
});
