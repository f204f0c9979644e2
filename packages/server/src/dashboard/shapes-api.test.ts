/** What operators see of the forms that the platform sends, and that no value is among it. */
import { formatShapes, type ShapeEntry } from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sendEvent } from '../testing/send-event.ts';
import { signInAs } from '../testing/sign-in-as.ts';
import { signInitJwt } from '../testing/sign-init-jwt.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;

beforeEach(async () => {
  world = await startWorld();
});

afterEach(() => world[Symbol.asyncDispose]());

async function readShapes(cookie: string): Promise<ShapeEntry[]> {
  const answer = await fetch(`${world.url}/admin/api/shapes`, { headers: { cookie } });
  return ((await answer.json()) as { shapes: ShapeEntry[] }).shapes;
}

test('a viewer reads what an install, a page and a notification looked like', async () => {
  const cookie = await signInAs(world, 'grace', 'viewer');
  const { instanceId } = await world.install();
  const session = await world.openSession(instanceId);
  await world.notify(session, 'Lunch?');
  await world.notify(session, 'Coffee?');

  await expect
    .poll(async () => (await readShapes(cookie)).map(({ kind, count }) => `${kind} ${count}`))
    .toEqual([
      'event access_token 1',
      'event install 1',
      'event instance_add 1',
      'init JWT 1',
      'notification answer 2',
      'src 1',
      'token answer 1',
    ]);
  const text = formatShapes(await readShapes(cookie));
  for (const line of [
    'header/alg: "RS512"',
    "header/jku: http URL, issuer's host, with a port, path /certificates/<text>",
    'sub: "install"',
    'client/token_endpoint_url: path api/oauth/token',
    'client/trigger_event/body#/token: text ≤ 64',
    'ctx.tenantId: UUID of the tenant',
    'ctx.userEmail: e-mail address',
    'token_type: "bearer"',
    'status: 201',
  ]) {
    expect(text.split('\n')).toContain(`  ${line}`);
  }
  expect(text).toMatch(/\nsrc, 1×, .*\n {2}<uuid>\n/);
});

test('an event that is signed and refused for its form is described, one of a stranger is not', async () => {
  const cookie = await world.signIn();
  const iat = Math.floor(Date.now() / 1000);
  const iss = world.platform.tenants[0]?.baseUrl ?? '';
  const event = { iss, sub: 'install', iat, exp: iat + 60, tenantId: 7, instanceUrl: `${iss}/x` };
  const signed = await world.platform.sign(event);
  const forged = `${signed.slice(0, -8)}AAAAAAAA`;

  expect((await sendEvent(world, forged)).status).toBe(400);
  expect(await readShapes(cookie)).toEqual([]);
  expect((await sendEvent(world, signed)).status).toBe(400);

  expect(await readShapes(cookie)).toMatchObject([
    {
      kind: 'event install',
      shape: expect.stringContaining(
        'pluginId: missing (refused); sub: "install"; tenantId: number 0-9 (refused)',
      ),
    },
  ]);
});

const canary = 'Quokka-Zebra:7/?#é"x';

/** The canary as text, and in the seven forms in which a value can leave a program. */
const forms = [
  canary,
  Buffer.from(canary).toString('base64'),
  Buffer.from(canary).toString('base64url'),
  Buffer.from(canary).toString('hex'),
  encodeURIComponent(canary),
  Array.from(canary).reverse().join(''),
  canary.toUpperCase(),
  JSON.stringify(canary).slice(1, -1),
];

/** Each form as a value, as a name, and within texts that have a format of their own. */
const hostile = Object.fromEntries(
  forms.flatMap((form, index) => [
    [form, form],
    ['quokkaZebra', form],
    [`a${form}`, [form]],
    [`ctx.${form}`, { [form]: form }],
    [`cfg.${form}`, { [form]: form }],
    [`cfg.title${index}`, form],
    [
      `url${index}`,
      `https://${Buffer.from(canary).toString('hex')}.example/${form}?${form}#${form}`,
    ],
    [`json${index}`, JSON.stringify({ [form]: form, token: form })],
    [`mail${index}`, `${Buffer.from(canary).toString('hex')}@example.com`],
    [`path${index}`, `/api/${form}/users/${form}`],
  ]),
);

/** Pieces of the canary would reveal it, too. */
const traces = [...forms, 'Quokka', 'Zebra', 'akkouQ', '7/?#', '51756f'];

test('no value and no foreign name is in the shapes, the database or the log', async () => {
  const cookie = await world.signIn();
  const { instanceId } = await world.install();
  const own = { client: { ...hostile, client_secret: forms[0], trigger_event: hostile } };
  for (const name of ['install', 'access_token'] as const) {
    const iat = Math.floor(Date.now() / 1000);
    const iss = world.platform.tenants[0]?.baseUrl ?? '';
    const event = {
      iss,
      sub: name,
      iat,
      exp: iat + 60,
      tenantId: world.tenantId,
      ...hostile,
      ...own,
    };
    expect((await sendEvent(world, await world.platform.sign(event), {}, name)).status).toBe(400);
  }
  for (const src of forms) {
    const known = { 'ctx.userName': src, 'ctx.userEmail': src, 'ctx.userLanguage': src };
    const initJwt = await signInitJwt(world, { ...hostile, ...known, 'stt.edit': src });
    await world.post('/api/session', { initJwt, instanceId: src });
  }
  await world.notify(await world.openSession(instanceId), canary);

  const shapes = await readShapes(cookie);
  expect(shapes.map(({ kind }) => kind)).toContain('init JWT');
  expect(shapes.map(({ kind }) => kind)).toContain('src');
  const output = (formatShapes(shapes) + JSON.stringify(shapes)).toLowerCase();
  const log = world.logs.join('').toLowerCase();
  for (const trace of traces) {
    expect(output).not.toContain(trace.toLowerCase());
    expect(log).not.toContain(trace.toLowerCase());
  }
});
