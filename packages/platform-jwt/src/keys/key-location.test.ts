/** Threats B01 to B03, B05, B11 to B13: a key is trusted only at its location and for its issuers. */

import { type HttpHost, startHttpHost } from '@dowel/http/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  initClaims,
  installClaims,
  issuer,
  startTestPlatform,
  type TestPlatform,
  tenantId,
  verdictOf,
} from '../testing/platform.ts';
import { createSigningKey } from '../testing/signing-key.ts';
import { createPlatformJwtVerifier } from '../verifier.ts';
import { parseTrustRules } from './trust-rules.ts';

const attackerKey = createSigningKey();

let platform: TestPlatform;
let sink: HttpHost;

beforeAll(async () => {
  platform = await startTestPlatform();
  sink = await startHttpHost();
  sink.serve('/keys/acme.jwk.json', attackerKey.document);
  platform.host.serve('/uploads/k.json', attackerKey.document);
});

afterAll(async () => {
  await sink[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
});

beforeEach(() => {
  platform.host.requests.length = 0;
});

/** The verdict on a token that an attacker signed, with a `jku` of the attacker's choice. */
function verdict(jku: unknown) {
  const jwt = platform.sign(installClaims(), { header: { jku }, key: attackerKey });
  return verdictOf(platform.createVerifier().verifyEvent(jwt, 'install'));
}

describe('key locations', () => {
  test('B01: the key of an attacker is refused, and no connection is made to its host', async () => {
    expect(await verdict(`${sink.origin}/keys/acme.jwk.json`)).toBe('jku_not_allowed');
    expect(await verdict('https://evil.test/k')).toBe('jku_not_allowed');
    expect(await verdict(undefined)).toBe('jku_not_allowed');
    expect(sink.connections()).toBe(0);
  });

  test('B02: other spellings of a trusted location, or near it, are refused and never fetched', async () => {
    const { origin, port } = platform.host;
    const path = '/keys/acme.jwk.json';
    const evil = `127.0.0.1:${sink.port}`;
    const spellings = [
      `${sink.origin}/?${origin}${path}`,
      `${sink.origin}/#${origin}${path}`,
      `${sink.origin}/${origin}${path}`,
      `${origin}@${evil}${path}`,
      `${origin}:x@${evil}${path}`,
      `http://user@127.0.0.1:${port}${path}`,
      `http://:pw@127.0.0.1:${port}${path}`,
      `${origin}.evil.test${path}`,
      `http://127.0.0.1${path}`,
      `http://127.0.0.1:${port}0${path}`,
      `http://127.0.0.1:0${port}${path}`,
      `http://127.0.0.1:${sink.port}${path}`,
      `http://localhost:${port}${path}`,
      `http://127.1:${port}${path}`,
      `http://2130706433:${port}${path}`,
      `http://0x7f.0.0.1:${port}${path}`,
      `http://①②⑦.0.0.1:${port}${path}`,
      `http://127。0。0。1:${port}${path}`,
      `http://[::ffff:127.0.0.1]:${port}${path}`,
      `HTTP://127.0.0.1:${port}${path}`,
      `https://127.0.0.1:${port}${path}`,
      `http:\\\\127.0.0.1:${port}${path}`,
      `http:/127.0.0.1:${port}${path}`,
      `http:127.0.0.1:${port}${path}`,
      `//127.0.0.1:${port}${path}`,
      ` ${origin}${path}`,
      `${origin}${path} `,
      `${origin}\t${path}`,
      `${origin}/keys\n/acme.jwk.json`,
      `${origin}//keys/acme.jwk.json`,
      `${origin}\\keys\\acme.jwk.json`,
      `${origin}/KEYS/acme.jwk.json`,
      `${origin}/keys%2facme.jwk.json`,
      `${origin}/keys/acme.jwk.json?`,
      `${origin}/keys/acme.jwk.json?x=1`,
      `${origin}/keys/acme.jwk.json#`,
      `${origin}/keys/acme.jwk.json#x`,
      `${origin}/keys`,
      `${origin}`,
      '',
      'keys/acme.jwk.json',
    ];

    for (const jku of spellings) expect(await verdict(jku), jku).toBe('jku_not_allowed');
    expect(platform.host.requests).toEqual([]);
    expect(sink.connections()).toBe(0);
  });

  test.each([
    'file:///etc/passwd',
    'data:application/json,{}',
    'ftp://127.0.0.1/keys/acme.jwk.json',
    'blob:http://127.0.0.1/1',
    'javascript:1',
    'ws://127.0.0.1/keys/x',
  ])('B03: %s is refused', async (jku) => {
    expect(await verdict(jku)).toBe('jku_not_allowed');
  });

  test.each([
    '/uploads/k.json',
    '/keys/../uploads/k.json',
    '/keys/%2e%2e/uploads/k.json',
    '/keys/..%2fuploads/k.json',
    '/keys/.%2e/uploads/k.json',
    '/keys/..;/uploads/k.json',
    '/keys/..\\uploads/k.json',
    '/keys%2f..%2fuploads/k.json',
    '/keys-uploads/k.json',
    '/keys/%75ploads/k.json',
  ])('B05: %s on the key host is refused and never fetched', async (path) => {
    expect(await verdict(`${platform.host.origin}${path}`)).toBe('jku_not_allowed');
    expect(platform.host.requests).toEqual([]);
  });
});

describe('issuers', () => {
  const ownerB = createSigningKey();
  let verifier: ReturnType<typeof createPlatformJwtVerifier>;
  let jkuB: string;

  beforeAll(() => {
    jkuB = platform.host.serve('/owner-b/keys.json', ownerB.document);
    const { trust, host } = platform;
    const trustRules = parseTrustRules(
      `${trust}, https://*.owner-b.example=${host.origin}/owner-b/`,
    );
    verifier = createPlatformJwtVerifier({ trustRules });
  });

  function verdictOnB(claims: Record<string, unknown>) {
    const jwt = platform.sign(
      { ...installClaims(), ...claims },
      { header: { jku: jkuB }, key: ownerB },
    );
    return verdictOf(verifier.verifyEvent(jwt, 'install'));
  }

  test("B11: a listed key owner cannot sign for another one's tenant, and nothing is fetched", async () => {
    expect(await verdictOnB({ iss: issuer })).toBe('issuer_key_mismatch');
    expect(platform.host.requests).toEqual([]);
  });

  test('B11: an issuer that no rule names is refused, with any key', async () => {
    expect(await verdictOnB({ iss: 'https://acme.unknown.example' })).toBe('issuer_key_mismatch');
    expect(platform.host.requests).toEqual([]);
  });

  test.each([
    'https://platform.example',
    'https://.platform.example',
    'https://acme..platform.example',
    'https://acme.platform.example.evil.test',
    'https://evilplatform.example',
    'http://acme.platform.example',
    'https://acme.platform.example:8443',
    'https://user@acme.platform.example',
    'https://evil.test/https://acme.platform.example',
    'https://evil.test#.platform.example',
    'https://evil.test\\.platform.example',
    'https://acme.platform.example?',
    'https://acme.platform.example/#',
    'https://acme.platform.example/ctx?tenant=1',
    'https://acme.platform.example ',
    'https://ac\tme.platform.example',
    'https:acme.platform.example',
    'acme.platform.example',
    '',
  ])('B11: the issuer %j does not belong to the platform', async (iss) => {
    const jwt = platform.signInstall({ iss });

    expect(await verdictOf(verifier.verifyEvent(jwt, 'install'))).toBe('issuer_key_mismatch');
  });

  test.each([
    ['https://acme.platform.example', 'https://acme.platform.example'],
    ['https://acme.platform.example/', 'https://acme.platform.example'],
    ['https://acme.platform.example:443', 'https://acme.platform.example'],
    ['https://ACME.Platform.example:443/', 'https://acme.platform.example'],
    ['HTTPS://acme.platform.example', 'https://acme.platform.example'],
    ['https://acme.platform.example/ctx', 'https://acme.platform.example/ctx'],
    ['https://acme.platform.example/ctx/', 'https://acme.platform.example/ctx'],
    ['https://acme.platform.example/Ctx//', 'https://acme.platform.example/Ctx'],
  ])('the issuer %s is %s, of an event and of an init token', async (iss, canonical) => {
    const event = await verifier.verifyEvent(platform.signInstall({ iss }), 'install');
    expect(event.iss).toBe(canonical);

    const init = await verifier.verifyInit(platform.sign({ ...initClaims(Date.now()), iss }));
    expect(init.iss).toBe(canonical);
  });

  test('B12, B13: an owner who claims a foreign tenantId stays under their own issuer', async () => {
    const claims = { ...installClaims(), iss: 'https://b.owner-b.example' };
    const jwt = platform.sign(claims, { header: { jku: jkuB }, key: ownerB });

    const ofB = await verifier.verifyEvent(jwt, 'install');
    const ofA = await verifier.verifyEvent(platform.signInstall(), 'install');

    expect(ofB).toMatchObject({ iss: 'https://b.owner-b.example', tenantId });
    expect(ofA).toMatchObject({ iss: issuer, tenantId });
  });

  test('without a rule no issuer is believed', async () => {
    const nobody = createPlatformJwtVerifier({ trustRules: [] });

    expect(await verdictOf(nobody.verifyEvent(platform.signInstall(), 'install'))).toBe(
      'issuer_key_mismatch',
    );
  });
});
