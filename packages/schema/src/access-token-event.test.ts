/** The fourteen fields of the access_token event, one after the other (Spec §2.2). */
import { expect, test } from 'vitest';
import { accessTokenEventSchema } from './lifecycle-events.ts';
import { accessTokenEvent } from './testing/samples.ts';
import { joinPlatformUrl } from './urls.ts';

const { client } = accessTokenEvent;
const { trigger_event: trigger } = client;

const isTaken = (event: unknown) => accessTokenEventSchema.safeParse(event).success;
const withEvent = (changes: object) => isTaken({ ...accessTokenEvent, ...changes });
const withClient = (changes: object) => withEvent({ client: { ...client, ...changes } });
const withTrigger = (changes: object) => withClient({ trigger_event: { ...trigger, ...changes } });

test('jti is a string and may be missing', () => {
  for (const jti of [undefined, 'event-1', '3f0c2a52-9d0b-4a57-8a3e-5d1b6c7e8f01']) {
    expect(withEvent({ jti })).toBe(true);
  }
  for (const jti of [1, null, '', ['event-1']]) expect(withEvent({ jti })).toBe(false);
});

test('sub is access_token', () => {
  expect(withEvent({})).toBe(true);
  for (const sub of [undefined, 'install', 'Access_Token', 'access_token ', ['access_token']]) {
    expect(withEvent({ sub })).toBe(false);
  }
});

test.each(['tenantId', 'pluginId'])('%s is a UUID and required', (name) => {
  for (const value of [undefined, 'acme', 1, accessTokenEvent.tenantId.slice(1)]) {
    expect(withEvent({ [name]: value })).toBe(false);
  }
});

test('base_url is required, and the paths of client are joined to it', () => {
  for (const value of [undefined, '', 1, ['https://acme.example.com/']]) {
    expect(withEvent({ base_url: value })).toBe(false);
  }
  const { base_url: baseUrl } = accessTokenEvent;
  expect(joinPlatformUrl(baseUrl, client.token_endpoint_url).href).toBe(
    'https://acme.example.com/api/oauth/token',
  );
  expect(joinPlatformUrl(baseUrl, trigger.url).href).toBe(`https://acme.example.com${trigger.url}`);
});

test('client is required and is an object', () => {
  for (const value of [undefined, null, [], 'client']) {
    expect(withEvent({ client: value })).toBe(false);
  }
});

test.each(['client_id', 'client_secret', 'authorization_code'])(
  'client.%s is a text and required',
  (name) => {
    for (const value of [undefined, null, 1, '']) expect(withClient({ [name]: value })).toBe(false);
  },
);

test('client.token_endpoint_url is a path and required', () => {
  for (const value of [undefined, null, 1, '']) {
    expect(withClient({ token_endpoint_url: value })).toBe(false);
  }
});

test('client.trigger_event is an object with url and method, and the method is POST', () => {
  for (const value of [null, [], 'POST']) expect(withClient({ trigger_event: value })).toBe(false);
  for (const value of [undefined, null, 1, '']) expect(withTrigger({ url: value })).toBe(false);
  for (const value of [undefined, 'GET', 'post'])
    expect(withTrigger({ method: value })).toBe(false);
});

test('client.trigger_event.body is a text, kept as it came', () => {
  const { client: parsed } = accessTokenEventSchema.parse(accessTokenEvent);

  expect(parsed.trigger_event?.body?.reveal()).toBe(trigger.body);
  for (const body of [{ token: 't' }, null, 1]) expect(withTrigger({ body })).toBe(false);
});

test('further fields are kept, at every level', () => {
  const event = {
    ...accessTokenEvent,
    region: 'eu',
    client: { ...client, hint: 1, trigger_event: { ...trigger, headers: {} } },
  };

  expect(accessTokenEventSchema.parse(event)).toMatchObject({
    region: 'eu',
    client: { hint: 1, trigger_event: { headers: {} } },
  });
});
