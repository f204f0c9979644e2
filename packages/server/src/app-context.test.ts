import { parseTrustRules } from '@dowel/platform-jwt';
import { parseApiOrigins } from '@dowel/schema';
import { expect, test } from 'vitest';
import { internalOrigins } from './app-context.ts';

test('D02: an allowed origin of an API may have a private address only on this machine, or if its host is listed', () => {
  const trustRules = parseTrustRules('http://localhost:4300=http://localhost:4300/keys/');
  const apiOrigins = parseApiOrigins(
    'http://localhost:4300=http://localhost:4301,https://*.example.com=https://api.internal',
  );
  const onThisMachine = ['http://localhost:4300', 'http://localhost:4301'];

  expect(internalOrigins({ trustRules, apiOrigins })).toEqual(onThisMachine);
  expect(internalOrigins({ trustRules, apiOrigins, internalHosts: ['api.internal'] })).toEqual([
    ...onThisMachine,
    'https://api.internal',
  ]);
});
