/** Codes and refresh tokens at a strict and at a lenient authorization server. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type AuthorizationServer,
  answerTokenRequest,
  type Client,
  countTokens,
  createAuthorizationServer,
  introspect,
  issueCode,
  lenientRules,
  type Presentation,
  type Rules,
  registerClient,
  strictRules,
} from './index.ts';

const tenantId = '3f0c2a52-9d0b-4a57-8a3e-5d1b6c7e8f01';
const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';
const hourMs = 3_600_000;

let server: AuthorizationServer;
let client: Client;
let now: number;
let presentations: Presentation[];

beforeEach(() => {
  let made = 0;
  server = createAuthorizationServer({ tenantId, createSecret: (kind) => `${kind}-${++made}` });
  client = registerClient(server, { pluginId });
  now = 1_800_000_000_000;
  presentations = [];
});

function present(rules: Rules, parameters: Record<string, string>, basic = basicOf(client)) {
  const request = { parameters: new URLSearchParams(parameters), authorization: basic };
  const { status, body, presentation } = answerTokenRequest(server, request, { now, rules });
  presentations.push(presentation);
  return { status, ...(body as { access_token: string; refresh_token?: string; error?: string }) };
}

function basicOf({ clientId, clientSecret }: Client): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
}

const exchange = (rules: Rules, code = issueCode(server, client, { now, rules })) =>
  present(rules, { grant_type: 'authorization_code', code });
const refresh = (rules: Rules, { refresh_token = '' }: { refresh_token?: string }) =>
  present(rules, { grant_type: 'refresh_token', refresh_token });
const isAlive = (accessToken: string) => introspect(server, accessToken, now) !== undefined;

test.each([
  ['strict', strictRules],
  ['lenient', lenientRules],
])('a %s server exchanges a code once', (_, rules) => {
  const code = issueCode(server, client, { now, rules });
  expect(exchange(rules, code)).toMatchObject({ status: 200, tenant: tenantId });

  expect(exchange(rules, code)).toMatchObject({ status: 400, error: 'invalid_grant' });
});

describe('a strict server', () => {
  test('revokes what a code was exchanged for when the code is presented again', () => {
    const code = issueCode(server, client, { now, rules: strictRules });
    const first = exchange(strictRules, code);
    const second = refresh(strictRules, first);

    exchange(strictRules, code);

    expect(isAlive(second.access_token)).toBe(false);
    expect(refresh(strictRules, second).error).toBe('invalid_grant');
  });

  test('revokes all that came from a refresh token when it is presented again', () => {
    const first = exchange(strictRules);
    const second = refresh(strictRules, first);
    const third = refresh(strictRules, second);

    expect(refresh(strictRules, first).error).toBe('invalid_grant');

    expect(isAlive(third.access_token)).toBe(false);
    expect(refresh(strictRules, third).error).toBe('invalid_grant');
  });

  test('ends nothing when an unknown code or refresh token is presented', () => {
    const { access_token: accessToken } = exchange(strictRules);

    expect(exchange(strictRules, 'unknown').error).toBe('invalid_grant');
    expect(refresh(strictRules, { refresh_token: 'unknown' }).error).toBe('invalid_grant');

    expect(isAlive(accessToken)).toBe(true);
  });

  test('voids the access token before a refresh, and the grants before an exchange', () => {
    const first = exchange(strictRules);
    const second = refresh(strictRules, first);
    expect(isAlive(first.access_token)).toBe(false);

    const third = exchange(strictRules);

    expect(isAlive(second.access_token)).toBe(false);
    expect(isAlive(third.access_token)).toBe(true);
    expect(countTokens(client, now)).toEqual({ accessTokens: 1, refreshTokens: 1 });
  });

  test('accepts a spent refresh token again within its grace, and revokes after it', () => {
    const rules = { ...strictRules, reuseGraceMs: 1_000 };
    const first = exchange(rules);
    refresh(rules, first);
    now += 999;
    const again = refresh(rules, first);
    expect(again.status).toBe(200);

    now += 1;

    expect(refresh(rules, first).error).toBe('invalid_grant');
    expect(isAlive(again.access_token)).toBe(false);
  });
});

describe('a lenient server', () => {
  test('takes a refresh token again and again, and keeps every access token until it expires', () => {
    const first = exchange(lenientRules);
    now += hourMs / 2;
    const second = refresh(lenientRules, first);
    expect(second.refresh_token).toBe(first.refresh_token);
    expect([isAlive(first.access_token), isAlive(second.access_token)]).toEqual([true, true]);
    expect(countTokens(client, now)).toEqual({ accessTokens: 2, refreshTokens: 1 });

    now += hourMs / 2;

    expect([isAlive(first.access_token), isAlive(second.access_token)]).toEqual([false, true]);
    expect(refresh(lenientRules, first).status).toBe(200);
  });

  test('keeps the tokens of older codes, and those of a code that is presented again', () => {
    const code = issueCode(server, client, { now, rules: lenientRules });
    const first = exchange(lenientRules, code);
    const second = exchange(lenientRules);

    exchange(lenientRules, code);

    expect([isAlive(first.access_token), isAlive(second.access_token)]).toEqual([true, true]);
  });
});

test.each([
  ['strict', strictRules],
  ['lenient', lenientRules],
])('tokens of a %s server outlive any number of codes that nobody presents', (_, rules) => {
  const first = exchange(rules);

  const codes = Array.from({ length: 50 }, () => issueCode(server, client, { now, rules }));

  expect(isAlive(first.access_token)).toBe(true);
  expect(refresh(rules, first).status).toBe(200);
  expect(exchange(rules, codes[0]).error).toBe('invalid_grant');
  expect(exchange(rules, codes.at(-1)).status).toBe(200);
  expect(client.grants).toHaveLength(20);
});

test('a code outlives tokens that have ended', () => {
  const code = issueCode(server, client, { now, rules: strictRules });
  for (let index = 0; index < 50; index += 1) exchange(strictRules);

  expect(exchange(strictRules, code).status).toBe(200);
});

test('a refresh token that is kept can be left out of the answer (RFC 6749 §6)', () => {
  const rules: Rules = { ...strictRules, refreshTokens: 'omit' };
  const first = exchange(rules);
  expect(first.refresh_token).toBeDefined();

  expect(refresh(rules, first)).not.toHaveProperty('refresh_token');
  expect(refresh(rules, first).status).toBe(200);
});

test('an exchange without a refresh token gives access only', () => {
  const tokens = exchange({ ...strictRules, givesRefreshToken: false });

  expect(tokens).not.toHaveProperty('refresh_token');
  expect(isAlive(tokens.access_token)).toBe(true);
});

test('an answer says what was presented, and prints no text of it', () => {
  const code = issueCode(server, client, { now, rules: strictRules });
  exchange(strictRules, code);
  refresh(strictRules, { refresh_token: 'unknown' });
  present(strictRules, { grant_type: 'password' }, 'Basic YTpi');

  expect(presentations).toMatchObject([
    { at: now, pluginId, grantType: 'authorization_code', error: null },
    { at: now, pluginId, grantType: 'refresh_token', error: 'invalid_grant' },
    { at: now, pluginId: null, grantType: 'unsupported', error: 'invalid_client' },
  ]);
  expect(presentations.map(({ credential }) => credential.reveal())).toEqual([code, 'unknown', '']);
  expect(JSON.stringify(presentations)).not.toContain(code);
});
