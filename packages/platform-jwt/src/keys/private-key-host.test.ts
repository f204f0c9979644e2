/** Threat D02, for key hosts: a trusted location does not lead into our own network. */
import { type HttpHost, startHttpHost } from '@dowel/http/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from '../testing/platform.ts';
import { createPlatformJwtVerifier } from '../verifier.ts';
import { parseTrustRules } from './trust-rules.ts';

let sink: HttpHost;
let platform: TestPlatform;

beforeAll(async () => {
  sink = await startHttpHost();
  platform = await startTestPlatform();
});

afterAll(async () => {
  await sink[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});

test.each(['localhost', '127.0.0.1', '[::1]'])(
  'D02: a trusted key location on https://%s is refused unless it is listed as internal',
  async (host) => {
    const location = `https://${host}:${sink.port}/keys/`;
    const trustRules = parseTrustRules(`https://*.platform.example=${location}`);
    const jwt = platform.sign(installClaims(), { header: { jku: `${location}k.json` } });

    const verification = createPlatformJwtVerifier({ trustRules }).verifyEvent(jwt, 'install');

    expect(await verdictOf(verification)).toBe('key_fetch_failed');
    expect(sink.connections()).toBe(0);
  },
);
