/** The embedding page: answers each contender's protocol and measures how long each signature took. */
import { expose, windowEndpoint } from 'comlink';
import { connect, WindowMessenger } from 'penpal';
import type { FrameSetting, PageTimes, Sample } from './setting.ts';

declare global {
  interface Window {
    signWith: (privateKey: JsonWebKey, jku: string) => Promise<void>;
    runFrame: (address: string, setting: FrameSetting) => Promise<PageTimes>;
  }
}

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' };
const signingMs = new Map<string, number>();
let key: CryptoKey;
let keyAddress: string;

window.signWith = async (privateKey, jku) => {
  key = await crypto.subtle.importKey('jwk', privateKey, algorithm, false, ['sign']);
  keyAddress = jku;
};

function base64url(bytes: Uint8Array): string {
  const binary = String.fromCharCode(...bytes);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function sign(jti: string): Promise<string> {
  const startedAt = performance.now();
  const encode = (part: object) => base64url(new TextEncoder().encode(JSON.stringify(part)));
  const iat = Math.floor(Date.now() / 1000);
  const times = { iat, exp: iat + 60 };
  const ctx = { 'ctx.tenantId': 't1', 'ctx.userId': 'u1', 'ctx.userName': 'Robin Berg' };
  const claims = { iss: location.origin, sub: 'init', jti, ...times, ...ctx };
  const text = `${encode({ typ: 'JWT', alg: 'RS512', jku: keyAddress })}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(text));
  const token = `${text}.${base64url(new Uint8Array(signature))}`;
  signingMs.set(jti, performance.now() - startedAt);
  return token;
}

/** @returns a function that stops answering, so that no later frame is answered twice */
function serve(contender: string, remoteWindow: Window, origin: string): () => void {
  if (contender === 'penpal') {
    const messenger = new WindowMessenger({ remoteWindow, allowedOrigins: [origin] });
    const connection = connect({ messenger, methods: { sign } });
    return () => connection.destroy();
  }
  const ended = new AbortController();
  if (contender === 'comlink') {
    const listen = (type: string, listener: EventListenerOrEventListenerObject) =>
      addEventListener(type, listener, ended);
    expose({ sign }, { ...windowEndpoint(remoteWindow), addEventListener: listen }, [origin]);
  }
  return () => ended.abort();
}

window.runFrame = (address, setting) => {
  const frame = document.createElement('iframe');
  frame.allow = 'cross-origin-isolated';
  frame.src = `${address}#${encodeURIComponent(JSON.stringify(setting))}`;
  document.body.append(frame);
  const remoteWindow = frame.contentWindow as Window;
  const disconnect = serve(setting.contender, remoteWindow, new URL(address).origin);
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`${setting.srcId} did not end`));
    const timer = setTimeout(late, 30_000);
    addEventListener('message', async function onMessage({ data, source }) {
      if (source !== remoteWindow) return;
      if (data.sub === 'init') remoteWindow.postMessage(await sign(data.jti), '*');
      if (data.benchmark !== setting.srcId) return;
      clearTimeout(timer);
      removeEventListener('message', onMessage);
      disconnect();
      frame.remove();
      resolve(
        data.samples.map(
          ({ jti, totalMs }: Sample) => totalMs - (signingMs.get(jti) ?? Number.NaN),
        ),
      );
    });
  });
};
