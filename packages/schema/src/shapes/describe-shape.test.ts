import { expect, test } from 'vitest';
import { z } from 'zod';
import { initClaimsSchema } from '../init-claims.ts';
import { accessTokenEventSchema } from '../lifecycle-events.ts';
import { describeShape } from './describe-shape.ts';

const issuer = 'https://acme.example.com/web';
const tenantId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';
const other = 'd2719aab-1f4e-4a7e-8f6c-0a4f3f2b9c11';

test.each([
  [null, 'null'],
  [true, 'boolean'],
  [0, 'number 0-9'],
  [10, 'number 10-99'],
  [86_400, 'number 10000-99999'],
  [-1, 'negative number'],
  [0.5, 'number with a fraction'],
  [1e300, 'number above 2^53'],
  ['', 'empty text'],
  ['3600', 'numeric text'],
  ['true', 'boolean text'],
  ['2026-11-28T22:00:00Z', 'date text'],
  ['de', 'language tag xx'],
  ['de_DE', 'language tag xx_XX'],
  ['ada@example.com', 'e-mail address'],
  ['-----BEGIN CERTIFICATE-----', 'PEM text'],
  ['eyJhbGciOiJub25lIn0.e30.', 'JWT'],
  [other, 'UUID'],
  [other.toUpperCase(), 'UUID in upper case'],
  [tenantId, 'UUID of the tenant'],
  ['Ada Lovelace', 'text ≤ 64, with blanks'],
  ['Zoë', 'text ≤ 64, not ASCII'],
  ['x'.repeat(65), 'text ≤ 256'],
  ['x'.repeat(5_000), 'text > 4096'],
  ['https://acme.example.com', "https URL, issuer's host"],
  ['https://acme.example.com/', "https URL, issuer's host, path /"],
  ['https://keys.example.com/a.jwk', 'https URL, same domain as issuer, path /<text>'],
  ['http://u@evil.net:8080/x?y#z', /^http URL, other host, with a port, with a user name, path/],
  ['ftp://acme.example.com', 'URL of another scheme'],
  ['//acme.example.com/api', 'URL without a scheme'],
  [`/api/plugins/${other}/7/Müller`, 'path /api/plugins/<uuid>/<number>/<text>'],
  ['api/oauth/token?a=b', 'path api/oauth/token, with a query'],
  ['c2VjcmV0/c2VjcmV0', 'text ≤ 64'],
])('the format of %j', (value, format) => {
  const [line = ''] = describeShape(value, { issuer, tenantId });

  expect(line.replace('(all): ', '')).toMatch(format instanceof RegExp ? format : exactly(format));
});

const exactly = (text: string) => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);

test('an event is described with what the schema does not know, refuses and misses', () => {
  const event = {
    iss: issuer,
    sub: 'access_token',
    iat: 1_700_000_000,
    exp: '1700000060',
    tenantId,
    pluginId: other,
    base_url: 'https://api.example.com/',
    fooBar: 'secret',
    originUrl: 'https://acme.example.com/x',
    client: {
      client_id: 'client',
      client_secret: 'secret',
      token_endpoint_url: '/api/oauth/token',
      trigger_event: { url: 'api/trigger', method: 'POST', body: '{"token":"secret","s3cret":1}' },
    },
  };

  expect(describeShape(event, { schema: accessTokenEventSchema })).toEqual(
    [
      '<name>: text ≤ 64 (unknown)',
      'base_url: https URL, same domain as issuer, path /',
      'client/authorization_code: missing (refused)',
      'client/client_id: text ≤ 64',
      'client/client_secret: text ≤ 64',
      'client/token_endpoint_url: path /api/oauth/token',
      'client/trigger_event/body#/<name>: number 0-9',
      'client/trigger_event/body#/token: text ≤ 64',
      'client/trigger_event/body: JSON text',
      'client/trigger_event/method: "POST"',
      'client/trigger_event/url: path api/trigger',
      'client/trigger_event: object',
      'client: object',
      'exp: numeric text (refused)',
      "iss: https URL, issuer's host, path /<text>",
      'iat: number 1000000000-9999999999',
      "originUrl: https URL, issuer's host, path /<text> (unknown)",
      'pluginId: UUID',
      'sub: "access_token"',
      'tenantId: UUID of the tenant',
    ].sort(),
  );
});

test.each([
  ['ctx.userDepartment', 'ctx.userDepartment'],
  ['ctx.quokka', 'ctx.<name>'],
  ['pluginInstanceId', 'pluginInstanceId'],
  ['user_name', 'user_name'],
  ['valueOf', 'valueOf'],
  ['anna.mueller', '<name>'],
  ['userQuokka', '<name>'],
  ['token7', '<name>'],
  ['Name', '<name>'],
  ['__proto__', '<name>'],
  ['cfg.quokka', 'cfg.*'],
  ['cfg', 'cfg'],
])('the unknown name %j is shown as %j', (name, shown) => {
  const value = JSON.parse(`{${JSON.stringify(name)}: "Quokka"}`) as object;

  expect(describeShape(value)).toEqual([
    `${shown}: ${shown.startsWith('cfg') ? 'string' : 'text ≤ 64'}`,
  ]);
});

test('the fields of a configuration share one line with their types', () => {
  const claims = { 'cfg.quokka': 'Ada', 'cfg.title': true, 'cfg.list': ['Ada'], 'stt.edit': false };
  const lines = describeShape(claims, { schema: z.looseObject({ 'stt.edit': z.boolean() }) });

  expect(lines).toEqual(['cfg.*: array or boolean or string', 'stt.edit: boolean']);
  expect(describeShape(claims, { schema: initClaimsSchema })).toContain(
    'cfg.*: array or boolean or string',
  );
});

test('a name that a record accepts is not a known one', () => {
  expect(describeShape({ quokka: 1 }, { schema: z.record(z.string(), z.string()) })).toEqual([
    '<name>: number 0-9 (refused)',
  ]);
});

test('a value of hostile size or depth has few lines', () => {
  const wide = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, i) => [`n${i}`, i % 7 ? i : {}]),
  );
  const deep = JSON.parse(`${'{"token":'.repeat(5_000)}1${'}'.repeat(5_000)}`) as object;

  expect(describeShape(wide).length).toBeLessThan(10);
  expect(describeShape(deep).length).toBeLessThan(10);
});
