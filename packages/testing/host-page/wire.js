/**
 * The platform's side of the wire: a throw-away key and the tokens it signs. Plain JavaScript, so
 * that any static server can serve it beside the host page; wire.d.ts holds its types.
 */
const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-512' } };
const lifetimeSeconds = 60;

export async function createSigningKey() {
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
    keyDocument: { alg: algorithm, key: { kty, n, e, alg: 'RS512', use: 'sig' } },
  };
}

export function describeInstance({ issuer, user, config }) {
  return { iss: issuer, ...withPrefix('ctx', user), ...withPrefix('cfg', config) };
}

export async function signJwt(privateKey, claims, header) {
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

function withPrefix(prefix, values) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]),
  );
}

function toBase64url(bytes) {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
