import { expect, test } from 'vitest';
import { allowsAncestor } from './frame-ancestors.ts';

test.each([
  ['*', 'http://localhost:4300'],
  ['http:', 'http://localhost:4300'],
  ['http:', 'https://tenant.example'],
  ['http://localhost:4300/', 'http://localhost:4300'],
  ['HTTP://LOCALHOST:4300', 'http://localhost:4300'],
  ['localhost:4300', 'http://localhost:4300'],
  ['localhost:*', 'http://localhost:4300'],
  ['http://*:*', 'http://localhost:4300'],
  ['*:4300', 'http://localhost:4300'],
  ['[::1]:4300', 'http://[::1]:4300'],
  ["'self' https://*.example", 'https://tenant.example'],
  ['tenant.example:443', 'https://tenant.example'],
  ['http://tenant.example', 'https://tenant.example'],
])('%s allows %s', (sources, origin) => {
  expect(allowsAncestor(sources, origin)).toBe(true);
});

test.each([
  ['', 'http://localhost:4300'],
  ["'none'", 'http://localhost:4300'],
  ["'self'", 'http://localhost:4300'],
  ['https:', 'http://localhost:4300'],
  ['localhost', 'http://localhost:4300'],
  ['http://*', 'http://localhost:4300'],
  ['http://localhost:4301', 'http://localhost:4300'],
  ['*.example', 'https://example'],
  ['https://tenant.example:8443', 'https://tenant.example'],
  ['wss://tenant.example', 'https://tenant.example'],
])('%s does not allow %s', (sources, origin) => {
  expect(allowsAncestor(sources, origin)).toBe(false);
});
