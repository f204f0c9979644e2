/** What operations and routes know of their caller: only what the platform signed. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodingsOf } from '@dowel/installation-store/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperation } from '../operations/define-operation.ts';
import type { ServerOptions } from '../server-options.ts';
import {
  installAt,
  readSampleManifest,
  type ServerWorld,
  startServerWorld,
} from '../testing/server-world.ts';
import { type Caller, callerOf, defaultSessionClaims, selectClaims } from './caller.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const tellCaller = defineOperation({
  input: z.record(z.string(), z.json()),
  output: z.any(),
  run: ({ user, config, context, isEditing, instanceId }) => ({
    user,
    config,
    context,
    isEditing,
    instanceId,
  }),
});

const colours = z.object({ colour: z.string().default('blue'), size: z.number().optional() });

async function start(options: Partial<ServerOptions> = {}) {
  const manifest = await readSampleManifest();
  const server = world.create({
    manifest,
    operations: { tellCaller },
    userRoutes: (router) => {
      router.get('/me', ({ caller }) => ({ body: { user: caller.user, config: caller.config } }));
    },
    ...options,
  } as Partial<ServerOptions>);
  const { url } = await server.start();
  const { instanceId } = await installAt(world, url);
  const open = async (claims: Record<string, unknown> = {}) => {
    const iat = Math.floor(Date.now() / 1000);
    const initJwt = await world.platform.sign({
      iss: world.issuer,
      sub: 'init',
      iat,
      exp: iat + 60,
      jti: crypto.randomUUID(),
      'ctx.tenantId': world.tenantId,
      'ctx.userId': world.userId,
      ...claims,
    });
    const answer = await fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ initJwt, instanceId }),
    });
    return ((await answer.json()) as { sessionToken: string }).sessionToken;
  };
  const call = async (path: string, sessionToken: string, body?: object) => {
    const answer = await fetch(`${url}/api/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${sessionToken}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { instanceId, open, call };
}

const claims = {
  'ctx.userName': 'Ada Canary',
  'ctx.userEmail': 'ada@canary.example',
  'ctx.userLanguage': 'de',
  'ctx.spaceId': 'space-1',
  'cfg.colour': 'red',
  'cfg.size': 7,
  'stt.edit': true,
};

test('G18: an operation knows its user, the widget’s settings and the page, as the platform signed them', async () => {
  const { open, call, instanceId } = await start();

  const { body } = await call('tellCaller', await open(claims), {
    user: { id: 'forged', email: 'forged@canary.example' },
    config: { colour: 'forged' },
  });

  expect(body).toEqual({
    user: { id: world.userId, name: 'Ada Canary', email: 'ada@canary.example', language: 'de' },
    config: { colour: 'red', size: 7 },
    context: { spaceId: 'space-1' },
    isEditing: true,
    instanceId,
  });
});

test('a route of users gets the same caller, with the settings as the plug-in’s schema reads them', async () => {
  const { open, call } = await start({ config: colours } as Partial<ServerOptions>);

  const { body } = await call('me', await open({ ...claims, 'cfg.colour': undefined }));

  expect(body).toMatchObject({ user: { name: 'Ada Canary' }, config: { colour: 'blue', size: 7 } });
});

test('settings that the plug-in’s schema refuses are answered with their place, not their value', async () => {
  const { open, call } = await start({ config: colours } as Partial<ServerOptions>);
  const session = await open({ 'cfg.size': 'canary' });

  const refused = { code: 'CONFIG_INVALID', message: 'The widget’s settings do not fit: cfg.size' };
  const message = refused.message.replace('’', "'");
  for (const answer of [await call('tellCaller', session, {}), await call('me', session)]) {
    expect(answer).toEqual({ status: 409, body: { ...refused, message } });
  }
});

test('an operation may read the settings with a schema of its own, which gives them a type', async () => {
  const paint = defineOperation({
    input: z.object({}),
    output: z.string(),
    config: colours,
    run: ({ config }) => config.colour.toUpperCase(),
  });
  const { open, call } = await start({ operations: { paint } } as Partial<ServerOptions>);

  const painted = [
    await call('paint', await open(claims), {}),
    await call('paint', await open(), {}),
  ];

  expect(painted.map(({ body }) => body)).toEqual(['RED', 'BLUE']);
});

test('without session claims, a caller is its user’s id only', async () => {
  const { open, call, instanceId } = await start({ sessionClaims: [] });

  const { body } = await call('tellCaller', await open(claims), {});

  expect(body).toEqual({
    user: { id: world.userId },
    config: {},
    context: {},
    isEditing: false,
    instanceId,
  });
});

test('G19: no file, log line or observation has the claims, in any encoding', async () => {
  const fail = defineOperation({
    input: z.object({}),
    output: z.string(),
    errors: { NOT_TODAY: 409 },
    run: ({ fail: end }) => end('NOT_TODAY', 'Not today'),
  });
  const { open, call } = await start({ operations: { tellCaller, fail } });
  const secrets = ['Ada Canary', 'ada@canary.example', 'space-canary', 'colour-canary'];
  const [name, email, spaceId, colour] = secrets;
  const session = await open({
    'ctx.userName': name,
    'ctx.userEmail': email,
    'ctx.spaceId': spaceId,
    'cfg.colour': colour,
  });
  expect((await call('tellCaller', session, {})).body).toMatchObject({ user: { name, email } });
  expect((await call('tellCaller', session, { any: 'input' })).status).toBe(200);
  expect((await call('fail', session, {})).status).toBe(409);

  const files = await readdir(world.folder, { recursive: true, withFileTypes: true });
  const stored = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name))),
  );
  const told = Buffer.from(JSON.stringify([world.lines, world.observations]));
  expect(stored.length).toBeGreaterThan(1);
  for (const encoded of secrets.flatMap(encodingsOf)) {
    for (const bytes of [...stored, told]) expect(bytes.includes(encoded)).toBe(false);
  }
});

describe('of the claims of an init JWT', () => {
  const all = { iss: 'x', jti: 'j', 'ctx.userId': 'u', 'ctx.tenantId': 't', ...claims };

  test('a session keeps those that it is asked to, and never what has a column', () => {
    expect(selectClaims(all, defaultSessionClaims)).toEqual(claims);
    expect(selectClaims(all, ['ctx.userLanguage', 'cfg.*'])).toEqual({
      'ctx.userLanguage': 'de',
      'cfg.colour': 'red',
      'cfg.size': 7,
    });
    expect(selectClaims(all, ['iss', 'ctx.userId'])).toEqual({ iss: 'x' });
  });

  test('names like those of every object’s members are plain members', () => {
    const session = { claims: { 'cfg.__proto__': { admin: true }, 'ctx.constructor': 'x' } };
    const caller = callerOf({}, session as never) as Caller;

    expect(Object.getPrototypeOf(caller.config)).toBeNull();
    expect(Object.keys(caller.config)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(caller.context)).toBeNull();
  });

  test('an empty or missing name, address and language are left out', () => {
    const session = { userId: 'u', claims: { 'ctx.userName': '', 'ctx.userEmail': null } };

    expect(callerOf({}, session as never).user).toEqual({ id: 'u' });
  });
});
