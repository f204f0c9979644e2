/**
 * The platform's side of the wire: a throw-away key and the tokens it signs. The host page loads this file
 * too, without its types.
 */
const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-512' } };
const lifetimeSeconds = 60;

/** The shape in which the platform publishes a key. */
export interface FakeKeyDocument {
  alg: { name: string; hash: { name: string } };
  key: JsonWebKey;
}

export interface SigningKey {
  privateKey: CryptoKey;
  keyDocument: FakeKeyDocument;
}

/**
 * Makes a throw-away RSA key of 2048 bits; that takes about 0.1 s.
 *
 * @example
 * const signingKey = await createSigningKey(); // once for all tests of a file
 */
export async function createSigningKey(): Promise<SigningKey> {
  const parameters = {
    ...algorithm,
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
  };
  const { privateKey, publicKey } = await crypto.subtle.generateKey(parameters, false, [
    'sign',
    'verify',
  ]);
  const { kty, n, e } = await crypto.subtle.exportKey('jwk', publicKey);
  return {
    privateKey,
    keyDocument: { alg: algorithm, key: { kty, n, e, alg: 'RS512', use: 'sig' } as JsonWebKey },
  };
}

/** The claims of every token about an instance, in the flat names of the wire. */
export function describeInstance({
  issuer,
  user,
  config,
}: {
  issuer: string;
  user: object;
  config: object;
}): Record<string, unknown> {
  return { iss: issuer, ...withPrefix('ctx', user), ...withPrefix('cfg', config) };
}

/** A token that is valid for 60 s from now, unless a claim changes that. */
export async function signJwt(
  privateKey: CryptoKey,
  claims: object,
  header: object,
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  const parts = [
    { typ: 'JWT', alg: 'RS512', ...header },
    { iat, exp: iat + lifetimeSeconds, ...claims },
  ];
  const signed = parts
    .map((part) => toBase64url(new TextEncoder().encode(JSON.stringify(part))))
    .join('.');
  const signature = await crypto.subtle.sign(
    algorithm.name,
    privateKey,
    new TextEncoder().encode(signed),
  );
  return `${signed}.${toBase64url(new Uint8Array(signature))}`;
}

function withPrefix(prefix: string, values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]),
  );
}

function toBase64url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
