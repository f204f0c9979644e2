/** Compares the description of the dashboard's API with its routes and answers. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultAlertSettings } from '../alerts/alert-settings.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../alerts/testing/alert-receivers.ts';
import { signInAs } from '../testing/sign-in-as.ts';
import { startWorld, type World } from '../testing/start-world.ts';

const reason = 'asked by the tenant';

interface Described {
  paths: Record<
    string,
    Record<string, { responses: Record<string, unknown>; parameters?: object[] }>
  >;
  components: { securitySchemes: { session: { name: string } } };
}

let world: World;
let webhook: WebhookReceiver;
let cookie: string;
let document: Described;

beforeAll(async () => {
  webhook = await startWebhookReceiver();
  const alerts = { ...defaultAlertSettings, webhook: webhook.settings };
  const directory = new URL('../../../../apps/admin/dist', import.meta.url).pathname;
  world = await startWorld({ app: { alerts, dashboard: { directory } } });
  cookie = await world.signIn();
  document = (await (await get('/openapi.json')).json()) as Described;
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await webhook[Symbol.asyncDispose]();
});

const get = (path: string) => fetch(`${world.url}/admin/api${path}`, { headers: { cookie } });

/** Whether an answer or a request is as the schema at this place says, and the differences. */
function validateAt(place: string[], value: unknown) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'api');
  const segments = ['paths', ...place, 'schema'].map((segment) =>
    encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1')),
  );
  const check = ajv.getSchema(`api#/${segments.join('/')}`);
  return [check?.(value), check?.errors];
}

const json = ['content', 'application/json'];

const validate = ([path, method, status]: [string, string, string], answer: unknown) =>
  validateAt([path, method, 'responses', status, ...json], answer);

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
    const [isValid, errors] = validate([path, 'get', '200'], await answer.json());
    expect([path, answer.status, isValid, errors]).toEqual([path, 200, true, null]);
  }
});

test('describes the messages of the stream, which leave out what is as usual', async () => {
  const { body } = await get('/changes');
  await world.install();
  let received = '';
  let message: string | undefined;
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += part;
    [, message] = /^event: changed\ndata: (.*)\n/m.exec(received) ?? [];
    if (message !== undefined) break;
  }

  const place = ['/changes', 'get', 'responses', '200', 'content', 'text/event-stream'];
  expect(validateAt(place, JSON.parse(message ?? ''))).toEqual([true, null]);
});

test('describes the kinds of a timeline as a text, as they are sent', () => {
  const { parameters } = document.paths['/fleet/installations/{id}/timeline']?.get ?? {};

  expect(parameters).toContainEqual(
    expect.objectContaining({ name: 'kinds', schema: expect.objectContaining({ type: 'string' }) }),
  );
});

/** One request for each route that changes something, in this order. */
async function changesOf(): Promise<[route: string, path: string, body?: object][]> {
  const { installationId } = await world.install();
  const { accounts } = world.store;
  const code = await accounts.createSignInCode({ name: 'ada', expiresAt: Date.now() + 60_000 });
  await signInAs(world, 'grace', 'viewer');
  const password = { name: 'grace', password: 'four words will do' };
  const ofGrace = (await accounts.listSessions(Date.now())).find(({ name }) => name === 'grace');
  const silenced = { rule: 'broken_for', reason };
  await expect.poll(async () => (await world.store.describeKeys()).countedAt).not.toBeNull();
  return [
    ['post /session', '/session', { code }],
    ['post /session/password', '/session/password', password],
    ['post /session/language', '/session/language', { language: 'de' }],
    ['post /sessions/{id}/end', `/sessions/${ofGrace?.id}/end`, { reason }],
    ['post /accounts/{name}/role', '/accounts/grace/role', { role: 'operator', reason }],
    ['post /accounts/{name}/remove', '/accounts/grace/remove', { reason }],
    ['post /users/erase', '/users/erase', { userId: 'nobody', reason }],
    [
      'post /installations/{id}/actions/{name}',
      `/installations/${installationId}/actions/pause`,
      { reason },
    ],
    ['post /runs', '/runs', { action: 'resume', reason, ids: [installationId] }],
    ['delete /runs/{id}', '/runs/$run'],
    ['post /alerts/silences', '/alerts/silences', { ...silenced, hours: 1 }],
    ['post /alerts/silences/end', '/alerts/silences/end', silenced],
    ['post /alerts/channels/{channel}/test', '/alerts/channels/webhook/test', { reason }],
    ['delete /session', '/session'],
  ];
}

test('describes the status and the answer of each change as they are', async () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  const changes = await changesOf();
  expect(changes.map(([route]) => route).toSorted()).toEqual(
    described.filter((route) => !route.startsWith('get ')).toSorted(),
  );
  const headers = { cookie, 'x-dowel-csrf': '1', 'content-type': 'application/json' };
  let runId = '';

  for (const [route, path, body] of changes) {
    const [method = '', described = ''] = route.split(' ');
    const isRequest = body && validateAt([described, method, 'requestBody', ...json], body);
    expect([route, ...(isRequest ?? [true, null])]).toEqual([route, true, null]);
    // Of each action there is one run at a time.
    await expect.poll(async () => (await world.store.runs.list()).every(isOver)).toBe(true);
    const answer = await fetch(`${world.url}/admin/api${path.replace('$run', runId)}`, {
      method: method.toUpperCase(),
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { responses } = document.paths[described]?.[method] ?? { responses: {} };
    const [status = ''] = Object.keys(responses);
    expect([route, answer.status]).toEqual([route, Number(status)]);
    if (answer.status === 204) continue;
    const value = (await answer.json()) as { id?: string };
    if (route === 'post /runs') runId = value.id ?? '';
    expect([route, ...validate([described, method, status], value)]).toEqual([route, true, null]);
  }
});

const isOver = ({ endedAt }: { endedAt: number | null }) => endedAt !== null;

test('is for operators only', async () => {
  expect((await fetch(`${world.url}/admin/api/openapi.json`)).status).toBe(401);
});
