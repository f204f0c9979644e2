import { parseTrustRules } from '@dowel/platform-jwt';
import { parseApiOrigins } from '@dowel/schema';
import { expect, test } from 'vitest';
import { internalOrigins } from './app-context.ts';

test('D02: an allowed origin of an API may have a private address only on this machine, or if its host is listed', () => {
  const trust = parseTrustRules('http://localhost:4300=http://localhost:4300/keys/');
  const apiOrigins = parseApiOrigins(
    'http://localhost:4300=http://localhost:4301,https://*.example.com=https://api.internal',
  );
  const onThisMachine = ['http://localhost:4300', 'http://localhost:4301'];

  expect(internalOrigins({ trust, apiOrigins, internalHosts: [] })).toEqual(onThisMachine);
  expect(internalOrigins({ trust, apiOrigins, internalHosts: ['api.internal'] })).toEqual([
    ...onThisMachine,
    'https://api.internal',
  ]);
});
