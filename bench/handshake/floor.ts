/** The minimal handshake that verifies: one message each way, a key, a signature. It checks nothing else. */
import { type Contender, type FrameSetting, jtiOf } from './setting.ts';

async function importKey({ keyDelivery, keyDocument }: FrameSetting, token: string) {
  const [header = ''] = token.split('.');
  const { jku } = JSON.parse(atob(header));
  const document = keyDelivery === 'jku' ? await (await fetch(jku)).json() : keyDocument;
  return crypto.subtle.importKey('jwk', document.key, document.alg, false, ['verify']);
}

function bytesOf(part: string): Uint8Array<ArrayBuffer> {
  const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function ask(srcId: string, jti: string): Promise<string> {
  return new Promise((resolve) => {
    addEventListener('message', ({ data }) => resolve(data), { once: true });
    parent.postMessage({ iss: srcId, sub: 'init', jti }, '*');
  });
}

export const floor: Contender = (setting) => {
  let key: CryptoKey | undefined;
  return async () => {
    const token = await ask(setting.srcId, crypto.randomUUID());
    key ??= await importKey(setting, token);
    const [header, payload, signature = ''] = token.split('.');
    const signed = new TextEncoder().encode(`${header}.${payload}`);
    const isGood = await crypto.subtle.verify(key.algorithm, key, bytesOf(signature), signed);
    if (!isGood) throw new Error('The signature does not fit');
    return jtiOf(token);
  };
};
