/** Threats B04, B06, B07 and D11: what a key host may answer, and how long it may take. */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type HttpHost, startHttpHost } from '@dowel/http/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTlsIdentity } from '../testing/certificate.ts';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from '../testing/platform.ts';
import { createPlatformJwtVerifier, type PlatformJwtVerifierOptions } from '../verifier.ts';
import { parseTrustRules } from './trust-rules.ts';

let platform: TestPlatform;
let sink: HttpHost;
let text: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  sink = await startHttpHost();
  text = JSON.stringify(platform.key.document);
  sink.serve('/keys/k.json', platform.key.document);
});

afterAll(async () => {
  await sink[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});

type Respond = Extract<Parameters<HttpHost['serve']>[1], (...args: never) => unknown>;

let served = 0;

function verdict(respond: Respond, options: Partial<PlatformJwtVerifierOptions> = {}) {
  served += 1;
  const jku = platform.host.serve(`/keys/${served}.json`, respond);
  const jwt = platform.sign(installClaims(), { header: { jku } });
  return verdictOf(platform.createVerifier(options).verifyEvent(jwt, 'install'));
}

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('B04: a %i is not followed', async (status) => {
    const location = `${sink.origin}/keys/k.json`;

    expect(await verdict((_, response) => response.writeHead(status, { location }).end())).toBe(
      'key_fetch_failed',
    );
    expect(sink.connections()).toBe(0);
  });

  test('B04: not even to another file of the same host', async () => {
    const headers = { location: '/keys/acme.jwk.json' };

    expect(await verdict((_, response) => response.writeHead(302, headers).end(text))).toBe(
      'key_fetch_failed',
    );
  });
});

describe('transport', () => {
  test('B06: a self-signed certificate is refused, with any environment', async () => {
    await using host = await startHttpHost(createTlsIdentity());
    const jku = host.serve('/keys/k.json', platform.key.document);
    const jwt = platform.sign(installClaims(), { header: { jku } });
    const verifier = createPlatformJwtVerifier({
      trustRules: parseTrustRules(`https://*.platform.example=${host.origin}/keys/`),
      allowPrivateKeyHosts: [new URL(host.origin).host],
    });
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');

    expect(await verdictOf(verifier.verifyEvent(jwt, 'install'))).toBe('key_fetch_failed');
    expect(host.connections()).toBe(1);
    expect(host.requests).toEqual([]);
    vi.unstubAllEnvs();
  });

  test('D11: a proxy of the environment sees nothing', async () => {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy']) {
      vi.stubEnv(name, sink.origin);
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');

    expect(await verdict((_, response) => response.end(text))).toBe('accepted');
    expect(sink.connections()).toBe(0);
    vi.unstubAllEnvs();
  });

  test('requests JSON without an encoding, and does not identify itself', async () => {
    let headers: Record<string, unknown> = {};
    await verdict((request, response) => {
      headers = request.headers;
      response.end(text);
    });

    expect(headers).toMatchObject({ accept: 'application/json', 'accept-encoding': 'identity' });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('cookie');
    expect(headers).not.toHaveProperty('referer');
  });
});

describe('documents', () => {
  test('may begin with a byte-order mark', async () => {
    expect(await verdict((_, response) => response.end(`\uFEFF${text}`))).toBe('accepted');
  });

  /** The connection over which the endless document is sent. */
  let endlessSocket: Socket | undefined;
  const endless: Respond = (request, response) => {
    endlessSocket = request.socket;
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', write);
    write();
  };
  const bomb = gzipSync(Buffer.alloc(50_000_000, 32));
  const deep = `{"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;

  const hostile: [string, Respond, string][] = [
    ['404', (_, response) => response.writeHead(404).end(text), 'key_fetch_failed'],
    ['500', (_, response) => response.writeHead(500).end(text), 'key_fetch_failed'],
    ['201', (_, response) => response.writeHead(201).end(text), 'key_fetch_failed'],
    ['204', (_, response) => response.writeHead(204).end(), 'key_fetch_failed'],
    ['206', (_, response) => response.writeHead(206).end(text), 'key_fetch_failed'],
    ['empty', (_, response) => response.end(), 'key_fetch_failed'],
    ['HTML', (_, response) => response.end('<!doctype html><p>Not found'), 'key_fetch_failed'],
    ['cut short', (_, response) => response.end(text.slice(0, -1)), 'key_fetch_failed'],
    ['with a repeated member', (_, r) => r.end(text.replace('{', '{"key":1,')), 'key_fetch_failed'],
    ['deep', (_, response) => response.end(deep), 'key_fetch_failed'],
    ['broken UTF-8', (_, r) => r.end(Buffer.from('7b2261223a2280227d', 'hex')), 'key_fetch_failed'],
    ['of 64 KiB and a byte', (_, r) => r.end(text.padEnd(65_537)), 'key_fetch_failed'],
    ['endless', endless, 'key_fetch_failed'],
    [
      'a gzip bomb',
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(bomb);
      },
      'key_fetch_failed',
    ],
    [
      'gzipped unasked',
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text));
      },
      'key_fetch_failed',
    ],
    ['silent', () => {}, 'key_fetch_failed'],
    [
      'slow headers',
      (_, response) => void setTimeout(() => response.end(text), 7_000).unref(),
      'key_fetch_failed',
    ],
    [
      'dripping',
      (_, response) => {
        const timer = setInterval(() => response.write(' '), 200);
        response.on('close', () => clearInterval(timer));
      },
      'key_fetch_failed',
    ],
    ['hung up', (_, response) => response.destroy(), 'key_fetch_failed'],
    [
      'a cut body',
      (_, response) => {
        response.writeHead(200, { 'content-length': '5000' });
        response.write(text);
        setTimeout(() => response.destroy(), 20).unref();
      },
      'key_fetch_failed',
    ],
    ['null', (_, response) => response.end('null'), 'key_not_acceptable'],
    ['an array', (_, response) => response.end(`[${text}]`), 'key_not_acceptable'],
    ['of another kind', (_, response) => response.end('{"openapi":"3.1.0"}'), 'key_not_acceptable'],
  ];

  test('B07: no hostile document is believed, goes on without end, or fills the memory', async () => {
    const verdicts = await Promise.all(hostile.map(([, respond]) => verdict(respond)));

    expect(Object.fromEntries(hostile.map(([name], index) => [name, verdicts[index]]))).toEqual(
      Object.fromEntries(hostile.map(([name, , reason]) => [name, reason])),
    );
    // What was sent is mostly in the system's buffers. No compressed document is unpacked.
    await expect.poll(() => endlessSocket?.destroyed).toBe(true);
    expect(endlessSocket?.bytesWritten).toBeLessThan(30 * 1024 * 1024);
  });

  test('B07: connection, headers and body share one time-out', async () => {
    const drip: Respond = (_, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };

    expect(await verdict(drip, { keyFetchTimeoutMs: 200 })).toBe('key_fetch_failed');
  });

  test('B07: a document of 64 KiB is read', async () => {
    expect(await verdict((_, response) => response.end(text.padEnd(65_536)))).toBe('accepted');
  });

  test.each(['nothing', null, new Error('x')])(
    'a fetch that throws %s accepts nothing',
    async (thrown) => {
      const fetch = () => {
        throw thrown;
      };

      expect(await verdict(() => {}, { fetch })).toBe('key_fetch_failed');
    },
  );
});
