/**
 * For tests only: a platform page around a frame, in jsdom, with real RSA keys, real signatures and a
 * real HTTP server for the key document.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const hostOrigin = 'https://tenant.example';
export const src = 'instance-1';

export type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export function createKeyPair(): Promise<KeyPair> {
  return generateKeyPair('RS512', { extractable: true });
}

/** The published shape of a key document. */
export async function keyDocument({ publicKey }: KeyPair, hash = 'SHA-512'): Promise<string> {
  const { kty, n, e } = await exportJWK(publicKey);
  return JSON.stringify({
    alg: { name: 'RSASSA-PKCS1-v1_5', hash: { name: hash } },
    key: { kty, n, e, alg: `RS${hash.slice(4)}`, use: 'sig' },
  });
}

export interface KeyServer extends AsyncDisposable {
  origin: string;
  /** Paths asked for. */
  requests: string[];
}

export async function startKeyServer(listener: RequestListener): Promise<KeyServer> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.setHeader('Access-Control-Allow-Origin', '*');
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, requests, [Symbol.asyncDispose]: close };
}

export interface FakeFrame {
  /** The window of the plug-in's page. */
  target: Window;
  /** What the plug-in posted to its host. */
  sent: { message: Record<string, unknown>; origin: unknown }[];
  /** The nonce of the hello. */
  jti(): string;
  receive(message: { data: unknown; origin?: string; source?: Window | null }): void;
  remove: () => void;
}

/** A real frame of jsdom whose parent records what it is told. */
export function createFakeFrame(): FakeFrame {
  const frame = document.body.appendChild(document.createElement('iframe'));
  const target = frame.contentWindow as Window;
  const sent: FakeFrame['sent'] = [];
  const record = (message: Record<string, unknown>, origin: unknown) =>
    void sent.push({ message, origin });
  target.parent.postMessage = record as typeof window.postMessage;
  return {
    target,
    sent,
    jti: () => String(sent.find(({ message }) => message.sub === 'init')?.message.jti),
    receive: ({ data, origin = hostOrigin, source = target.parent }) =>
      void target.dispatchEvent(new MessageEvent('message', { data, origin, source })),
    remove: () => frame.remove(),
  };
}

export interface InitJwtOptions {
  claims?: JWTPayload;
  header?: Record<string, unknown>;
}

/** A platform's init token: valid for 60 s from now, unless a claim says otherwise. */
export function signInitJwt(
  { privateKey }: KeyPair,
  jku: string,
  { claims = {}, header = {} }: InitJwtOptions,
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  const payload = {
    iss: hostOrigin,
    sub: 'init',
    iat,
    exp: iat + 60,
    'ctx.tenantId': '3c5e9a52-51ad-4f0c-9a35-0d5f4b64a8d1',
    'ctx.userId': 'user-1',
    'ctx.userName': 'Robin Berg',
    ...claims,
  };
  return new SignJWT(payload)
    .setProtectedHeader({ typ: 'JWT', alg: 'RS512', jku, ...header })
    .sign(privateKey);
}
