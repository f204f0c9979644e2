import { type AccessTokenEvent, parseApiOrigins } from '@dowel/schema';
import { expect, test } from 'vitest';
import { adviseApiOrigin, resolveAddresses } from './resolve-addresses.ts';
import { createAccessTokenEvent } from './testing/lifecycle-world.ts';

const context = { apiOrigins: parseApiOrigins('https://*.example.com=https://api.test') };
const trigger = '/client/trigger_event';
const create = (claims: object, client: object = {}) =>
  createAccessTokenEvent('code', { ...claims }, { ...client }) as AccessTokenEvent;

test.each([
  ['/api/trigger', []],
  ['https://api.test/trigger', [{ pointer: `${trigger}/url`, type: 'absolute URL' }]],
  ['/api/trigger?a=b', [{ pointer: `${trigger}/url`, type: 'with query' }]],
  ['https://evil.test/trigger', [{ pointer: trigger, type: 'unusable' }]],
])('the trigger %s is named as far as it is no path', (url, expected) => {
  const event = create({}, { trigger_event: { url, method: 'POST' } });

  expect(resolveAddresses(event, context).respelled).toEqual(expected);
});

test.each([
  ['another base_url', { base_url: 'https://other.test/ctx' }, {}],
  ['another token endpoint', {}, { token_endpoint_url: 'https://other.test/token' }],
])('%s has one line that allows it, beside the other rules', (_, claims, client) => {
  expect(adviseApiOrigin(create(claims, client), context)).toEqual({
    issuer: 'https://acme.example.com',
    apiOrigin: 'https://other.test',
    set: 'DOWEL_API_ORIGINS=https://*.example.com=https://api.test,https://acme.example.com=https://other.test',
  });
});

test.each([
  ['an allowed origin', { base_url: 'https://api.test/ctx' }],
  ['http', { base_url: 'http://other.test' }],
  ['no URL', { base_url: 'other.test' }],
  ['a user name', { base_url: 'https://user:pass@other.test' }],
])('there is no line for %s', (_, claims) => {
  expect(adviseApiOrigin(create(claims), context)).toBeUndefined();
});
