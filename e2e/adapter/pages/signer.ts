/** Signs tokens as the platform or as a forger. */
import { encodeBytes, encodeText, type Forgery } from '../cases/case.ts';
import type { SignerName, World } from '../world.ts';

export async function signToken(world: World, jti: string, forgery: Forgery): Promise<unknown> {
  const { origins } = world;
  const iat = Math.floor(Date.now() / 1000);
  const claims = typeof forgery.claims === 'function' ? forgery.claims(iat) : forgery.claims;
  const header = {
    typ: 'JWT',
    alg: 'RS512',
    jku: forgery.jku ? forgery.jku(origins) : `${origins.keys}/platform`,
    ...forgery.header,
  };
  const payload = {
    iss: forgery.iss ? forgery.iss(origins) : origins.tenant,
    sub: 'init',
    jti,
    iat,
    exp: iat + 60,
    'ctx.tenantId': 'tenant-1',
    'ctx.userId': 'user-1',
    'ctx.userName': 'first',
    ...claims,
  };
  const text = [
    (forgery.headerText ?? String)(JSON.stringify(header)),
    (forgery.payloadText ?? String)(JSON.stringify(payload)),
  ]
    .map(encodeText)
    .join('.');
  const signature = await signText(world, new TextEncoder().encode(text), forgery);
  const token = `${text}.${encodeBytes(new Uint8Array(signature))}`;
  return forgery.change ? forgery.change(token) : token;
}

async function signText(
  world: World,
  text: Uint8Array<ArrayBuffer>,
  { signer = 'platform', hash }: Forgery,
): Promise<ArrayBuffer> {
  const { privateKeys, keyDocument } = world;
  const rsa = (name: string, key: SignerName) =>
    importJwk(privateKeys[key], { name, hash: hash ?? 'SHA-512' });
  if (signer === 'nobody') return new ArrayBuffer(0);
  if (signer === 'hmac') {
    const secret = new TextEncoder().encode(keyDocument);
    const algorithm = { name: 'HMAC', hash: hash ?? 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
    return crypto.subtle.sign('HMAC', key, text);
  }
  if (signer === 'ec') {
    const key = await importJwk(privateKeys.ec, { name: 'ECDSA', namedCurve: 'P-256' });
    return crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, text);
  }
  if (signer === 'pss') {
    const key = await rsa('RSA-PSS', 'platform');
    return crypto.subtle.sign({ name: 'RSA-PSS', saltLength: 64 }, key, text);
  }
  return crypto.subtle.sign('RSASSA-PKCS1-v1_5', await rsa('RSASSA-PKCS1-v1_5', signer), text);
}

function importJwk(jwk: JsonWebKey, algorithm: RsaHashedImportParams | EcKeyImportParams) {
  return crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign']);
}
