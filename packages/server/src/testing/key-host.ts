/** A platform's key host on a real socket, and JWTs of that platform and of strangers. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const issuer = 'https://acme.platform.example';

export interface TestKey {
  privateKey: KeyObject;
  /** The key document as the platform publishes it: `{alg, key}`. */
  document: object;
}

/** Creates a key pair and its document. */
export function createTestKey(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const alg = { name: 'RSASSA-PKCS1-v1_5', hash: { name: 'SHA-512' } };
  return { privateKey, document: { alg, key: publicKey.export({ format: 'jwk' }) } };
}

/** A document, or a function that answers instead. */
type Answer = object | ((response: ServerResponse) => void);

export type KeyHost = Awaited<ReturnType<typeof startKeyHost>>;

/** Starts the key host on a free port. */
export async function startKeyHost() {
  const answers = new Map<string, Answer>();
  /** Names of the requested files, in order. */
  const requests: string[] = [];
  let fallback: (response: ServerResponse) => void = (response) => response.writeHead(404).end();
  const server = createServer((request, response) => {
    const name = (request.url ?? '').replace('/keys/', '');
    requests.push(name);
    const answer = answers.get(name) ?? fallback;
    if (typeof answer === 'function') answer(response);
    else response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    trust: `https://*.platform.example=${origin}/keys/`,
    requests,
    serve: (name: string, answer: Answer) => answers.set(name, answer),
    /** Answers requests for all other files. Default: 404. */
    serveOthers(answer: (response: ServerResponse) => void) {
      fallback = answer;
    },
    /** A JWT whose header names the key file `name`. */
    sign(name: string, claims: object, { privateKey }: TestKey): string {
      const header = { alg: 'RS512', typ: 'JWT', jku: `${origin}/keys/${name}` };
      const input = [header, { ...createTimes(), ...claims }].map(encode).join('.');
      return `${input}.${sign('sha512', Buffer.from(input), privateKey).toString('base64url')}`;
    },
    /** A JWT with an invalid signature. */
    forge: (name: string, claims: object) =>
      `${encode({ alg: 'RS512', jku: `${origin}/keys/${name}` })}.${encode({ ...createTimes(), ...claims })}.AAAA`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An install event of a different plug-in each time, unless `claims` names one. */
export function installClaims(changes: object = {}): object {
  return {
    sub: 'install',
    tenantId: crypto.randomUUID(),
    pluginId: crypto.randomUUID(),
    ...changes,
  };
}

export function initClaims(tenantId: string): object {
  return {
    sub: 'init',
    jti: crypto.randomUUID(),
    'ctx.tenantId': tenantId,
    'ctx.userId': 'u-1',
    'ctx.userName': 'Ada',
  };
}

function createTimes() {
  const iat = Math.floor(Date.now() / 1000);
  return { iss: issuer, iat, exp: iat + 60 };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
