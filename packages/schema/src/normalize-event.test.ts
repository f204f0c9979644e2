import { describe, expect, test } from 'vitest';
import { accessTokenEventSchema } from './lifecycle-events.ts';
import { normalizeEvent } from './normalize-event.ts';
import { accessTokenEvent, eventClaims, withPrototypeMember } from './testing/samples.ts';

const { client } = accessTokenEvent;
const { trigger_event: trigger } = client;

/** The event as the schema reads it, and what was spelled otherwise. */
function read(changes: object) {
  const { payload, respelled } = normalizeEvent('access_token', {
    ...accessTokenEvent,
    ...changes,
  });
  const found = respelled.map(({ pointer, type }) => `${pointer} ${type}`);
  return { event: accessTokenEventSchema.parse(payload), found };
}

const withTrigger = (trigger_event: unknown) => read({ client: { ...client, trigger_event } });

test('the shape of the specification is left as it is', () => {
  expect(normalizeEvent('access_token', accessTokenEvent)).toEqual({
    payload: accessTokenEvent,
    respelled: [],
  });
});

test.each([
  [undefined, 'missing'],
  [null, 'missing'],
  ['', 'empty'],
])('base_url %j is the URL of the issuer', (base_url, type) => {
  const { event, found } = read({ base_url });

  expect(event.base_url).toBe(accessTokenEvent.iss);
  expect(found).toEqual([`/base_url ${type}`]);
});

describe('a trigger', () => {
  test.each([
    ['with the member uri', { ...trigger, url: undefined, uri: trigger.url }, 'url named uri'],
    ['without a method', { ...trigger, method: undefined }, 'method missing'],
    ['with a method in lower case', { ...trigger, method: 'post' }, 'method lower case'],
    ['with an object as its body', { ...trigger, body: { token: 't' } }, 'body object'],
    ['with an empty body', { ...trigger, body: '' }, 'body empty'],
  ])('%s is understood', (_, given, expected) => {
    const { event, found } = withTrigger(given);

    expect(event.client.trigger_event).toMatchObject({ url: trigger.url, method: 'POST' });
    expect(found).toEqual([`/client/trigger_event/${expected}`]);
  });

  test('sends an object of the event as its JSON', () => {
    const body = { token: 't', ü: [1, null] };

    const { event } = withTrigger({ ...trigger, body });

    expect(event.client.trigger_event?.body?.reveal()).toBe('{"token":"t","ü":[1,null]}');
  });

  test.each([
    null,
    'POST /trigger',
    [],
    {},
    { ...trigger, method: 'GET' },
    { ...trigger, method: ['POST'] },
    { ...trigger, url: 7 },
    { ...trigger, url: 'x'.repeat(2049) },
    { ...trigger, body: 7 },
    { ...trigger, body: 'x'.repeat(16_385) },
  ])('D09: that cannot be sent is left out, and the tokens stay good (%#)', (given) => {
    const { event, found } = withTrigger(given);

    expect(event.client).toMatchObject({ client_id: 'client' });
    expect(event.client.trigger_event).toBeUndefined();
    expect(found).toEqual(['/client/trigger_event unusable']);
  });
});

test('a jti of another type is left out of any event', () => {
  const install = { ...eventClaims, sub: 'install', jti: 7 };

  const { payload, respelled } = normalizeEvent('install', install);

  expect(payload).not.toHaveProperty('jti');
  expect(respelled).toEqual([{ pointer: '/jti', type: 'unusable' }]);
});

test.each([
  null,
  [],
  'text',
  withPrototypeMember(accessTokenEvent),
  { ...accessTokenEvent, client: { ...client, trigger_event: withPrototypeMember(trigger) } },
])('what the schema must refuse is left to it (%#)', (payload) => {
  expect(normalizeEvent('access_token', payload)).toEqual({ payload, respelled: [] });
  expect(accessTokenEventSchema.safeParse(payload).success).toBe(false);
});
