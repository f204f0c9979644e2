import { expect, test } from 'vitest';
import { pagePolicy } from './page-policy.ts';

const origin = 'https://plugin.example.com';
const platform = 'https://acme.example.com';

test('only files of the origin run; data is an image or a font', () => {
  const policy = pagePolicy({ origin, keyOrigins: [platform], frameAncestors: [platform] });

  expect(policy).toBe(
    [
      "default-src 'none'",
      `script-src ${origin}`,
      `style-src ${origin}`,
      `img-src ${origin} data:`,
      `font-src ${origin} data:`,
      `connect-src ${origin} ${platform}`,
      "base-uri 'none'",
      "form-action 'none'",
      'sandbox allow-scripts allow-forms allow-popups allow-downloads',
      `frame-ancestors ${platform}`,
    ].join(';'),
  );
});

test('further sources are added one by one, and without a platform nobody may frame the page', () => {
  const policy = pagePolicy({
    origin,
    keyOrigins: [],
    frameAncestors: [],
    scriptHashes: ['sha256-abc='],
    styleNonce: 'n0nce',
    connect: ['wss://plugin.example.com'],
    sandbox: false,
  });

  expect(policy).toContain(
    `;script-src ${origin} 'sha256-abc=';style-src ${origin} 'nonce-n0nce';`,
  );
  expect(policy).toContain(`;connect-src ${origin} wss://plugin.example.com;`);
  expect(policy).toMatch(/;form-action 'none';frame-ancestors 'none'$/);
});
