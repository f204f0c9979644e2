import { accessTokenEventSchema, Secret } from '@dowel/schema';
import { expect, test } from 'vitest';
import { describeClaims } from './describe-claims.ts';

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhIn0.c2ln';

const event = {
  iss: 'https://acme.example.com',
  sub: 'access_token',
  iat: 1_700_000_000,
  exp: 1_700_000_060,
  jti: 'f9b1d0c2-3f0e-4c0e-9b0a-4b6c3a0f2d11',
  tenantId: '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de',
  pluginId: 'd2719aab-1f4e-4a7e-8f6c-0a4f3f2b9c11',
  base_url: 'https://acme.example.com/web',
  client: {
    client_id: 'client with a rather long identifier of more than sixty-four letters',
    client_secret: 'pin',
    authorization_code: 'code',
    token_endpoint_url: '/api/oauth/token',
    trigger_event: { url: '/api/trigger', method: 'POST', body: 'b' },
  },
};

test('the claims of an event are listed by their places, in their order', () => {
  const { client, ...plain } = event;

  expect(describeClaims(event)).toEqual([
    ...Object.entries(plain).map(([name, value]) => ({ name, value })),
    { name: 'client.client_id', value: client.client_id },
    { name: 'client.client_secret', value: null, masked: 'secret' },
    { name: 'client.authorization_code', value: null, masked: 'secret' },
    { name: 'client.token_endpoint_url', value: '/api/oauth/token' },
    { name: 'client.trigger_event.url', value: '/api/trigger' },
    { name: 'client.trigger_event.method', value: 'POST' },
    { name: 'client.trigger_event.body', value: null, masked: 'secret' },
  ]);
});

test('F35: each member that the schemas wrap as a secret is masked', () => {
  const wrapped = [...placesOfSecrets(accessTokenEventSchema.parse(event))];
  expect(wrapped).toHaveLength(3);

  const masked = describeClaims(event).filter((claim) => claim.masked === 'secret');

  expect(masked.map(({ name }) => name)).toEqual(wrapped);
});

function* placesOfSecrets(value: object, prefix = ''): Generator<string> {
  for (const [name, member] of Object.entries(value)) {
    if (member instanceof Secret) yield `${prefix}${name}`;
    else if (typeof member === 'object')
      yield* placesOfSecrets(member as object, `${prefix}${name}.`);
  }
}

test.each([
  ['certificate', '-----BEGIN CERTIFICATE-----', 'secret'],
  ['client.clientSecret', 'pin', 'secret'],
  ['client.credentials', { id: 1, pin: 2 }, 'secret'],
  ['access_token', 'a', 'secret'],
  ['pinCode', 1_234, 'secret'],
  ['pin', 1_234, 'secret'],
  ['pwd', 'canary', 'secret'],
  ['hint', jwt, 'secret'],
  ['hint', `Bearer ${jwt}`, 'secret'],
  ['jti', jwt, 'secret'],
  ['hint', 'c2VjcmV0LXNlY3JldC1zZWNyZXQ', 'secret'],
  ['hint', '1234:c2VjcmV0LXNlY3JldC1zZWNyZXQ0', 'secret'],
  ['link', 'https://a.example/in/c2VjcmV0LXNlY3JldC1zZWNyZXQ0', 'secret'],
  ['hint', 'x y '.repeat(17), 'long'],
  ['jti', 'x y '.repeat(80), 'long'],
  ['hint', 'ada@example.com', 'personal'],
  ['hint', 'Ada Lovelace', 'personal'],
  ['owner', 'Ada', 'personal'],
  ['owner.givenName', 'Ada', 'personal'],
  ['userId', 7, 'personal'],
])('%s with the value %j is masked: %s', (place, value, masked) => {
  expect(describeClaims(nest(place, value))).toEqual([{ name: place, value: null, masked }]);
});

test.each([
  ['edition', 'enterprise', 'enterprise'],
  ['seats', 12, 12],
  ['isTrial', true, true],
  ['parent', null, null],
  ['group', event.tenantId, event.tenantId],
  ['aud.0', 'https://plug-in.example', 'https://plug-in.example'],
  ['iss', 'https://ada:pin@acme.example.com/web?key=pin#pin', 'https://acme.example.com/web'],
  ['base_url', 'ada:pin@acme.example.com', 'acme.example.com'],
  ['link', 'https://acme.example.com/x?sig=pin', 'https://acme.example.com/x'],
  [
    'link',
    'https://intranet-of-a-long-name.example/app',
    'https://intranet-of-a-long-name.example/app',
  ],
])('%s with the value %j is shown as %j', (place, value, shown) => {
  expect(describeClaims(nest(place, value))).toEqual([{ name: place, value: shown }]);
});

test.each([jwt, 'n'.repeat(65), event.jti, 'ada@example.com', 'The pin of Ada'])(
  'of a claim whose name may be a secret or a person, nothing is shown: %s',
  (name) => {
    const masked = [{ name: '?', value: null, masked: 'secret' }];
    expect(describeClaims({ [name]: 1 })).toEqual(masked);
    expect(describeClaims({ [name]: { a: 1 } })).toEqual(masked);
  },
);

test('claims of hostile size or depth are few', () => {
  const wide = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`n${index}`, 1]));
  const deep = JSON.parse(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`) as object;

  expect(describeClaims({ ...wide })).toHaveLength(61);
  expect(describeClaims({ ...wide }).at(-1)).toMatchObject({ masked: 'more' });
  expect(describeClaims({ ...deep })).toEqual([{ name: 'a.a.a.a.a', value: null, masked: 'more' }]);
});

function nest(place: string, value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = place.split('.');
  return { [name]: rest.length === 0 ? value : nest(rest.join('.'), value) };
}
