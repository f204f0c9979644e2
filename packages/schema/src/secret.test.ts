import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { accessTokenEventSchema } from './lifecycle-events.ts';
import { Secret } from './secret.ts';

test('a secret prints as [secret] however it is printed', () => {
  const secret = new Secret('canary');
  const error = new Error('failed', { cause: { secret } });

  const prints = [String(secret), JSON.stringify({ secret }), inspect({ secret }), inspect(error)];

  for (const print of prints) {
    expect(print).toContain('[secret]');
    expect(print).not.toContain('canary');
  }
  expect(secret.reveal()).toBe('canary');
});

test('a parsed access_token event cannot be printed with its secrets', () => {
  const event = accessTokenEventSchema.parse({
    iss: 'https://acme.example.com',
    iat: 1,
    exp: 61,
    sub: 'access_token',
    tenantId: 'D290F1EE-6C54-4B01-90E6-D701748F0851',
    pluginId: '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de',
    base_url: 'https://acme.example.com',
    client: {
      client_id: 'client',
      client_secret: 'canary-1',
      authorization_code: 'canary-2',
      token_endpoint_url: '/token',
      trigger_event: { url: '/trigger', method: 'POST', body: '{"token":"canary-3"}' },
    },
  });

  expect(JSON.stringify(event) + inspect(event, { depth: 9 })).not.toContain('canary');
  expect(event.tenantId).toBe('d290f1ee-6c54-4b01-90e6-d701748f0851');
  expect(event.client.trigger_event?.body?.reveal()).toBe('{"token":"canary-3"}');
});
