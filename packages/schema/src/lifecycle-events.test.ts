import { describe, expect, test } from 'vitest';
import { initClaimsSchema, saveClaimsSchema } from './init-claims.ts';
import { lifecycleEventNames, lifecycleEventSchemas } from './lifecycle-events.ts';
import {
  accessTokenEvent,
  eventClaims,
  initClaims,
  pluginId,
  tokenResponse,
  withPrototypeMember,
} from './testing/samples.ts';
import { tokenResponseSchema } from './token-response.ts';

const { install, instance_add, access_token } = lifecycleEventSchemas;
const installEvent = { ...eventClaims, sub: 'install' };
const { client } = accessTokenEvent;

/** Values that a careless parser would accept as an identifier. */
const notIdentifiers: unknown[] = [
  ['x'],
  {},
  1,
  null,
  true,
  '',
  ' ',
  '\t',
  ' x',
  'x ',
  'x\n',
  'x\u0000',
  'x\u0000y',
  'x\r\ny',
  'x\u007f',
  'x\u0085y',
  'x\u200e',
  'x\u202ey',
  'x\u2028y',
  '\ud800',
  '\ufeffx',
  'x'.repeat(2049),
];

describe('an event', () => {
  test.each(lifecycleEventNames)('%s is accepted with unknown claims', (sub) => {
    const event = { ...accessTokenEvent, instanceId: 'widget-1', sub, flavour: ['new'] };

    expect(lifecycleEventSchemas[sub].parse(event)).toMatchObject({ sub, flavour: ['new'] });
  });

  test('may have no jti, and a certificate of any type', () => {
    const { jti, ...event } = installEvent;

    expect(install.safeParse({ ...event, certificate: [jti] }).success).toBe(true);
  });

  test('has its tenant and plug-in in one spelling', () => {
    const event = install.parse({ ...installEvent, pluginId: pluginId.toUpperCase() });

    expect(event.pluginId).toBe(pluginId);
  });

  test.each(['iss', 'jti', 'tenantId', 'pluginId', 'sub'])('needs an identifier for %s', (name) => {
    for (const value of notIdentifiers) {
      expect(install.safeParse({ ...installEvent, [name]: value }).success).toBe(false);
    }
  });

  test.each([
    `{${pluginId}}`,
    `urn:uuid:${pluginId}`,
    pluginId.replaceAll('-', ''),
    ` ${pluginId}`,
    `${pluginId}\n`,
    [pluginId],
    pluginId.replace('0', '０'),
  ])('does not accept %j as a UUID', (value) => {
    expect(install.safeParse({ ...installEvent, tenantId: value }).success).toBe(false);
    expect(install.safeParse({ ...installEvent, pluginId: value }).success).toBe(false);
  });

  test.each([
    'acme.example.com',
    'ftp://acme.example.com',
    'https://user@acme.example.com',
    'https://acme.example.com\\@evil.test',
    'https://ac\tme.example.com',
    'https://acme.example.com/?x',
    'https://acme.example.com/#x',
    'https://',
    'https://[::1',
    'javascript:alert(1)',
  ])('does not accept %j as an issuer', (iss) => {
    expect(install.safeParse({ ...installEvent, iss }).success).toBe(false);
  });

  test('has whole seconds, also if its times have a fraction', () => {
    const event = { ...installEvent, iat: 1_700_000_000.25, exp: 1_700_000_060.999 };

    expect(install.parse(event)).toMatchObject({ iat: 1_700_000_000, exp: 1_700_000_060 });
  });

  test.each(['1', [1], -0.5, -1, 1e308, Number.POSITIVE_INFINITY, Number.NaN, null])(
    'does not accept %j as a point in time',
    (value) => {
      expect(install.safeParse({ ...installEvent, iat: value }).success).toBe(false);
      expect(install.safeParse({ ...installEvent, exp: value }).success).toBe(false);
    },
  );

  test('of an instance needs its id', () => {
    const event = { ...eventClaims, sub: 'instance_add' };

    for (const instanceId of [undefined, ...notIdentifiers]) {
      expect(instance_add.safeParse({ ...event, instanceId }).success).toBe(false);
    }
  });

  test.each([
    { client: withPrototypeMember(client) },
    { flavour: [withPrototypeMember({ a: 1 })] },
  ])('with a member __proto__ is refused at any depth: %j', (changes) => {
    expect(access_token.safeParse({ ...accessTokenEvent, ...changes }).success).toBe(false);
  });

  test('with a member __proto__ at its top is refused, and nothing is inherited', () => {
    expect(install.safeParse(withPrototypeMember(installEvent)).success).toBe(false);
    expect('isAdmin' in {}).toBe(false);
  });

  test.each([null, [], 'text', 1, undefined])('is never %j', (value) => {
    expect(install.safeParse(value).success).toBe(false);
  });
});

describe('the client of an access_token event', () => {
  const parse = (changes: object) =>
    access_token.safeParse({ ...accessTokenEvent, client: { ...client, ...changes } });

  test('keeps secrets of any letters, and a body with its line breaks', () => {
    const { data } = parse({});

    expect(data?.client.client_secret.reveal()).toBe('secret-ä');
    expect(data?.client.trigger_event?.body?.reveal()).toBe('{\n"token":"t"}');
  });

  test('may have no trigger, and the trigger may have no body', () => {
    const { body, ...trigger } = client.trigger_event;

    expect(parse({ trigger_event: undefined }).success).toBe(true);
    expect(parse({ trigger_event: trigger }).success).toBe(true);
    expect(body).toBeTypeOf('string');
  });

  test.each(['client_id', 'client_secret', 'authorization_code'])(
    'refuses control characters in %s',
    (name) => {
      for (const value of ['a\r\nb', 'a\u0000', '', ['a'], null, 1]) {
        expect(parse({ [name]: value }).success).toBe(false);
      }
    },
  );

  test.each(['CONNECT', 'DELETE', 'post', 'POST\r\nX: y', ['POST']])(
    'triggers by POST, not by %j',
    (method) => {
      expect(parse({ trigger_event: { ...client.trigger_event, method } }).success).toBe(false);
    },
  );
});

describe('page claims and token responses', () => {
  test('init and save claims keep the plug-in’s own configuration', () => {
    const save = { ...initClaims, sub: 'save' };

    expect(initClaimsSchema.parse(initClaims)).toMatchObject({ 'cfg.city': ['Berlin'] });
    expect(saveClaimsSchema.parse(save)).toMatchObject({ 'cfg.city': ['Berlin'] });
  });

  test('are not accepted for each other or for an event', () => {
    expect(saveClaimsSchema.safeParse(initClaims).success).toBe(false);
    expect(initClaimsSchema.safeParse({ ...initClaims, sub: 'save' }).success).toBe(false);
    expect(
      initClaimsSchema.safeParse({ ...installEvent, ...initClaims, sub: 'install' }).success,
    ).toBe(false);
  });

  test.each(['ctx.userName', 'ctx.userEmail', 'ctx.userLanguage'])(
    'a user may have no %s, and one of any length',
    (name) => {
      for (const value of [null, undefined, '', 'a'.repeat(1_000)]) {
        const claims = { ...initClaims, [name]: value };
        expect(initClaimsSchema.safeParse(claims).success).toBe(true);
        expect(saveClaimsSchema.safeParse({ ...claims, sub: 'save' }).success).toBe(true);
      }
      expect(initClaimsSchema.safeParse({ ...initClaims, [name]: 7 }).success).toBe(false);
    },
  );

  test.each(['iss', 'jti', 'ctx.tenantId', 'ctx.userId'])(
    'init needs an identifier for %s',
    (name) => {
      for (const value of [undefined, ...notIdentifiers]) {
        expect(initClaimsSchema.safeParse({ ...initClaims, [name]: value }).success).toBe(false);
      }
    },
  );

  test('a member __proto__ is refused', () => {
    expect(initClaimsSchema.safeParse(withPrototypeMember(initClaims)).success).toBe(false);
    expect(tokenResponseSchema.safeParse(withPrototypeMember(tokenResponse)).success).toBe(false);
  });

  test.each([
    { access_token: 'a b' },
    { access_token: 'a\nb' },
    { access_token: 'ä' },
    { access_token: ['a'] },
    { access_token: '' },
    { token_type: 'mac' },
    { token_type: ['bearer'] },
    { expires_in: '3600' },
    { expires_in: -1 },
    { tenant: 'acme' },
    { refresh_token: '' },
  ])('a token response with %j is refused', (changes) => {
    expect(tokenResponseSchema.safeParse({ ...tokenResponse, ...changes }).success).toBe(false);
  });

  test('a token response may omit refresh token, lifetime, scope and tenant', () => {
    const { access_token, token_type } = tokenResponse;

    expect(tokenResponseSchema.safeParse({ access_token, token_type }).success).toBe(true);
    expect(tokenResponseSchema.safeParse({ access_token, token_type: 'Bearer' }).success).toBe(
      true,
    );
  });
});
