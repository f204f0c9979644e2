/** Keys in files: their allowed content, and that a token's `jku` is not used with them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCertificate } from '../testing/certificate.ts';
import {
  installClaims,
  startTestPlatform,
  type TestPlatform,
  verdictOf,
} from '../testing/platform.ts';
import { createSigningKey } from '../testing/signing-key.ts';
import { createPlatformJwtVerifier } from '../verifier.ts';
import { parseTrustRules } from './trust-rules.ts';

const key = createSigningKey();
const other = createSigningKey();
const spki = key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const otherSpki = other.publicKey.export({ type: 'spki', format: 'pem' }).toString();

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

beforeEach(() => {
  platform.host.requests.length = 0;
});

function parse(reference: string, text: string, issuer = 'https://*.platform.example') {
  return parseTrustRules(`${issuer}=file:${reference}`, { readKeyFile: () => text });
}

describe('key files', () => {
  const { n, e } = key.jwk;
  const files: [string, string, string][] = [
    ['a public key in PEM', 'k.pem#RS512', spki],
    ['two public keys in PEM', 'k.pem#RS512', `# ours\n${otherSpki}\n${spki}`],
    [
      'an RSA public key in PEM (PKCS#1)',
      'k.pem#RS512',
      key.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    ],
    ['a certificate', 'k.pem#RS512', createCertificate(key.privateKey, key.publicKey)],
    ['a JWK', 'k.json', JSON.stringify(key.jwk)],
    ['a JWK without alg', 'k.json#RS512', JSON.stringify({ kty: 'RSA', n, e })],
    ['a JWKS', 'k.json', JSON.stringify({ keys: [other.jwk, key.jwk] })],
    ['a JWKS without alg', 'k.json#RS512', JSON.stringify({ keys: [{ kty: 'RSA', n, e }] })],
    [
      'a JWKS in which one key names no alg',
      'k.json#RS512',
      JSON.stringify({ keys: [other.jwk, { kty: 'RSA', n, e }] }),
    ],
    ['the platform’s form', 'k.json', JSON.stringify(key.document)],
    ['a JWK behind a byte-order mark', 'k.json', `\uFEFF${JSON.stringify(key.jwk)}`],
  ];

  test.each(files)('%s verifies a token, whose jku is ignored', async (_, reference, text) => {
    const verifier = createPlatformJwtVerifier({ trustRules: parse(reference, text) });
    const headers = [{}, { jku: undefined }, { jku: 'https://evil.test/k' }];

    for (const header of headers) {
      const jwt = platform.signInstall({}, { header, key });
      expect(await verdictOf(verifier.verifyEvent(jwt, 'install'))).toBe('accepted');
    }
    expect(platform.host.requests).toEqual([]);
  });

  test.each([
    ['nothing', 'k.pem#RS512', ''],
    ['text', 'k.pem#RS512', 'key'],
    [
      'a private key',
      'k.pem#RS512',
      key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ],
    [
      'a private key beside a public one',
      'k.pem#RS512',
      `${spki}${key.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()}`,
    ],
    ['half a block', 'k.pem#RS512', spki.slice(0, 200)],
    ['half a block behind a whole one', 'k.pem#RS512', `${otherSpki}${spki.slice(0, 200)}`],
    ['half a block before a whole one', 'k.pem#RS512', `${spki.slice(0, 200)}\n${otherSpki}`],
    [
      'a key of 1024 bits',
      'k.pem#RS512',
      createSigningKey('RS512', 1024).publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ],
    ['PEM without its algorithm', 'k.pem', spki],
    ['PEM with a foreign algorithm', 'k.pem#HS512', spki],
    ['PEM with an empty algorithm', 'k.pem#', spki],
    ['a JWK of another algorithm than stated', 'k.json#RS256', JSON.stringify(key.jwk)],
    [
      'a JWKS of another algorithm than stated',
      'k.json#RS256',
      JSON.stringify({ keys: [key.jwk] }),
    ],
    [
      'the platform’s form of another algorithm than stated',
      'k.json#RS256',
      JSON.stringify(key.document),
    ],
    [
      'a JWKS that names no algorithm',
      'k.json',
      JSON.stringify({ keys: [{ ...key.jwk, alg: undefined }] }),
    ],
    ['a private JWK', 'k.json', JSON.stringify({ ...key.jwk, d: 'AAAA' })],
  ])('%s is refused with the way to fix it', (_, reference, text) => {
    expect(() => parse(reference, text)).toThrow(/key file "k\.(pem|json)" must/);
  });

  test.each([
    ['k.pem', spki.slice(0, 200), 'A PEM block is not complete'],
    [
      'k.pem',
      key.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      'A block of type RSA PRIVATE KEY is not PUBLIC KEY, RSA PUBLIC KEY or CERTIFICATE',
    ],
    ['k.json', '{"keys":[', 'Not acceptable as JSON: syntax'],
  ])('the refusal of %s says what is wrong: %#', (path, text, detail) => {
    expect(() => parse(`${path}#RS512`, text)).toThrow(`, such as file:${path}#RS512. ${detail}`);
  });

  test('a file that cannot be read is refused, and so is any file where files are not supported', () => {
    const readKeyFile = () => {
      throw new Error('ENOENT');
    };

    expect(() => parseTrustRules('*=file:k.pem#RS512', { readKeyFile })).toThrow(
      'The key file "k.pem" cannot be read: ENOENT',
    );
    expect(() => parseTrustRules('*=file:k.pem#RS512')).toThrow(/"k\.pem" (must|cannot)/);
  });
});

describe('static keys', () => {
  const trustRules = parse('k.pem#RS512', spki);

  test('A03: verify their one algorithm only', async () => {
    const jwt = platform.sign(installClaims(), {
      header: { alg: 'RS256' },
      key: { ...key, alg: 'RS256' },
    });
    const verifier = createPlatformJwtVerifier({ trustRules });

    expect(await verdictOf(verifier.verifyEvent(jwt, 'install'))).toBe('alg_not_allowed');
  });

  test('B01: a key behind jku cannot sign for an issuer whose keys are pinned', async () => {
    const rules = [...parseTrustRules(platform.trust), ...trustRules];
    const verifier = createPlatformJwtVerifier({ trustRules: rules });

    expect(await verdictOf(verifier.verifyEvent(platform.signInstall(), 'install'))).toBe(
      'signature_invalid',
    );
    expect(platform.host.requests).toEqual([]);
  });

  test('B11: pinned keys cannot sign for another issuer', async () => {
    const verifier = createPlatformJwtVerifier({
      trustRules: [
        ...parse('k.pem#RS512', spki, 'https://owner-b.example'),
        ...parseTrustRules(platform.trust),
      ],
    });
    const jwt = platform.signInstall({}, { key });
    const elsewhere = platform.signInstall({}, { key, header: { jku: undefined } });

    expect(await verdictOf(verifier.verifyEvent(jwt, 'install'))).toBe('signature_invalid');
    expect(await verdictOf(verifier.verifyEvent(elsewhere, 'install'))).toBe('jku_not_allowed');
  });

  test('B14: keys of several rules for one issuer are all tried', async () => {
    const rules = [...parse('other.pem#RS512', otherSpki), ...trustRules];
    const verifier = createPlatformJwtVerifier({ trustRules: rules });

    for (const each of [key, other]) {
      const jwt = platform.signInstall({}, { key: each });
      expect(await verdictOf(verifier.verifyEvent(jwt, 'install'))).toBe('accepted');
    }
  });
});
