/** The platform's key and as many signed instance_add events as a round needs. */
import { createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';

const tenantId = randomUUID();
const pluginId = randomUUID();

export interface Platform {
  publicKey: KeyObject;
  keyDocument: object;
  sign(claims: Record<string, unknown>): string;
}

export function createPlatform(origin: string): Platform {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
  const header = encode({ alg: 'RS512', typ: 'JWT', jku: `${origin}/keys/bench.jwk.json` });
  const jwk = { ...publicKey.export({ format: 'jwk' }), alg: 'RS512', use: 'sig' };
  return {
    publicKey,
    keyDocument: { alg: { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-512' } }, key: jwk },
    sign(claims) {
      const iat = Math.floor(Date.now() / 1000);
      const all = {
        iss: origin,
        iat,
        exp: iat + 900,
        tenantId,
        pluginId,
        jti: randomUUID(),
        ...claims,
      };
      const input = `${header}.${encode(all)}`;
      return `${input}.${createSign('RSA-SHA512').update(input).sign(privateKey).toString('base64url')}`;
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
