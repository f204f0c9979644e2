/** Answers of a key host, selected by the last part of the key's address. */
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { SignerName, World } from './world.ts';

type Respond = (response: ServerResponse, url: string) => void;

export interface Keys {
  privateKeys: World['privateKeys'];
  keyDocument: string;
  /** Answers for the trusted and the untrusted key host. */
  answer: RequestListener;
}

function documentOf(jwk: JsonWebKey, bits = '512'): { alg: object; key: JsonWebKey } {
  return {
    alg: { name: 'RSASSA-PKCS1-v1_5', hash: { name: `SHA-${bits}` } },
    key: { kty: 'RSA', n: jwk.n, e: jwk.e, alg: `RS${bits}`, use: 'sig' } as JsonWebKey,
  };
}

export async function createKeys(): Promise<Keys> {
  const lengths: Record<SignerName, number> = { platform: 2048, stranger: 2048, short: 1024 };
  const privateKeys = {
    ec: exportJwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
  } as World['privateKeys'];
  for (const [name, modulusLength] of Object.entries(lengths)) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength });
    privateKeys[name as SignerName] = exportJwk(privateKey);
  }
  const bomb = await promisify(gzip)(Buffer.alloc(100_000_000, ' '));
  const answers = createAnswers(privateKeys, bomb);
  return {
    privateKeys,
    keyDocument: JSON.stringify(documentOf(privateKeys.platform)),
    answer({ method, url = '' }, response) {
      const name = url.slice(1).split('?')[0] as string;
      // An endless answer would push the pages' scripts out of the browser's cache.
      response.setHeader('cache-control', 'no-store');
      if (name !== 'no-cors') response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', 'content-type, authorization');
      if (method === 'OPTIONS') return void response.writeHead(204).end();
      const respond = answers[name] ?? answers[404];
      respond?.(response, url);
    },
  };
}

function exportJwk(key: KeyObject): JsonWebKey {
  return key.export({ format: 'jwk' }) as JsonWebKey;
}

function json(document: unknown, status = 200): Respond {
  return (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(document));
}

function text(body: string, status = 200): Respond {
  return (response) => void response.writeHead(status, { 'content-type': 'text/html' }).end(body);
}

// A list of answers.
// oxlint-disable-next-line max-lines-per-function
function createAnswers(
  { platform, stranger, short, ec }: World['privateKeys'],
  bomb: Buffer,
): Record<string, Respond> {
  const good = documentOf(platform);
  const goodText = JSON.stringify(good);
  const { key } = good;
  const seen = new Set<string>();
  const script = '<svg onload="window.pwned=1">';
  return {
    ...createSlowAnswers(goodText),
    platform: json(good),
    'no-cors': json(good),
    stranger: json(documentOf(stranger)),
    jwk: json(key),
    'sha-1': json({
      alg: { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-1' } },
      key: { ...key, alg: 'RS1' },
    }),
    'sha-256': json(documentOf(platform, '256')),
    'sha-384': json(documentOf(platform, '384')),
    1024: json(documentOf(short)),
    404: text('<h1>Not found</h1>', 404),
    '404-with-key': json(good, 404),
    500: text('<h1>Error</h1>', 500),
    204: (response) => void response.writeHead(204).end(),
    html: text('<!doctype html><title>Welcome</title>'),
    script: text(script),
    'script-alg': json({ alg: script, key }),
    jwks: json({ keys: [{ kty: 'EC', alg: 'ES256' }, documentOf(stranger).key, key] }),
    'jwks-of-others': json({ keys: [{ kty: 'EC', alg: 'ES256' }] }),
    'jwks-with-secret': json({ keys: [key, { kty: 'oct', k: 'AAAA' }] }),
    bom: text(`\uFEFF${goodText}`),
    'pss-without-alg': json({
      alg: { name: 'RSA-PSS', hash: { name: 'SHA-512' } },
      key: { ...key, alg: undefined },
    }),
    session: json({ sessionToken: 'session', expiresAt: 1 }),
    pem: text('-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'),
    empty: text(''),
    null: text('null'),
    array: json([good]),
    short: text(goodText.slice(0, 200)),
    large: json({ ...good, filling: 'x'.repeat(100_000) }),
    'gzip-bomb': (response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    pss: json({
      alg: { name: 'RSA-PSS', hash: { name: 'SHA-512' } },
      key: { ...key, alg: 'PS512' },
    }),
    md5: json({ alg: { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'MD5' } }, key }),
    contradictory: json({ ...documentOf(platform, '256'), key }),
    encryption: json({ ...good, key: { ...key, use: 'enc' } }),
    ec: json({ ...good, key: { ...ec, d: undefined, alg: 'ES256' } }),
    oct: json({
      ...good,
      key: { kty: 'oct', k: createHash('sha256').update(goodText).digest('base64url') },
    }),
    private: json({ ...good, key: { ...platform, alg: 'RS512', use: 'sig' } }),
    'exponent-1': json({ ...good, key: { ...key, e: 'AQ' } }),
    proto: text(`{"__proto__":${goodText}}`),
    'redirect-away': (response, url) =>
      void response.writeHead(302, { location: decodeURIComponent(url.split('?')[1] ?? '') }).end(),
    'redirect-307': (response, url) =>
      void response.writeHead(307, { location: decodeURIComponent(url.split('?')[1] ?? '') }).end(),
    'redirect-home': (response) => void response.writeHead(301, { location: '/platform' }).end(),
    replaced(response, url) {
      const isFirst = !seen.has(url);
      seen.add(url);
      response.setHeader('cache-control', 'max-age=3600');
      json(isFirst ? documentOf(stranger) : good)(response, url);
    },
  };
}

function createSlowAnswers(goodText: string): Record<string, Respond> {
  return {
    hang: () => {},
    'hang-up': (response) => void response.destroy(),
    'headers-only': (response) => response.writeHead(200).flushHeaders(),
    drip(response) {
      let sent = 0;
      const timer = setInterval(() => response.write(goodText[sent++] ?? ' '), 20);
      response.once('close', () => clearInterval(timer));
    },
    endless(response) {
      const chunk = Buffer.alloc(16_384, ' ');
      const pour = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', pour);
      pour();
    },
  };
}
