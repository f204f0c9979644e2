/**
 * Replaces what could be a secret of the platform, wherever it stands. Its codes, tokens and secrets are 256 random
 * bits in base64url, so 43 such characters in a row are one of them, also inside of JSON, of a form, or of a sentence.
 */
import { randomSecret } from './authorization-server/server.ts';

const jwt = /eyJ[\w-]*(?:\.[\w-]*){0,2}/g;
const secret = new RegExp(`[\\w-]{${randomSecret().length},}`, 'g');
/** Two UUIDs, as in the `src` of a page. */
const uuidPair = /^[\da-f-]{36}_[\da-f-]{36}$/i;

/** The same text with `[token]` for each JWT, and `[secret]` for each other secret. */
export function maskSecrets(text: string): string {
  return text
    .replace(jwt, '[token]')
    .replace(secret, (found) => (uuidPair.test(found) ? found : '[secret]'));
}

const secretHeaders = ['authorization', 'cookie', 'set-cookie', 'proxy-authorization'];

/** Keeps the scheme of `Authorization`. */
export function maskHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!secretHeaders.includes(name.toLowerCase())) return [name, maskSecrets(value)];
      const [, scheme = ''] = /^(Basic|Bearer) /i.exec(value) ?? [];
      return [name, `${scheme} [secret]`.trimStart()];
    }),
  );
}

/** Every text in it, at any depth. A public key is no secret. */
export function maskJson(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.startsWith('-----BEGIN PUBLIC KEY') ? value : maskSecrets(value);
  }
  if (Array.isArray(value)) return value.map(maskJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, maskJson(member)]),
  );
}
