/**
 * Which issuers are trusted, and with which keys: each rule binds an issuer pattern to a key
 * location or to a file of keys. Without this binding, the owner of one listed key could sign for another
 * one's tenants (RFC 8725 §3.8).
 */
import {
  type IssuerPattern,
  isKnownPlatform,
  isSecure,
  knownPlatforms,
  parseIssuerPattern,
} from '@dowel/schema';
import { algorithms, isAlgorithm } from '../jws/compact-jws.ts';
import { StrictJsonError } from '../jws/strict-json.ts';
import { isPlainKeyPath } from './key-binding.ts';
import type { PlatformKey } from './platform-key.ts';
import { parseStaticKeys } from './static-keys.ts';

export interface TrustRule {
  issuer: IssuerPattern;
  keys: KeyLocation | StaticKeys;
}

/** The key documents that may sign: origin and path prefix ending in a slash. */
export interface KeyLocation {
  kind: 'location';
  origin: string;
  pathPrefix: string;
}

/** Keys that need no fetch. With them, a JWT's `jku` is ignored. */
export interface StaticKeys {
  kind: 'static';
  keys: readonly PlatformKey[];
}

export interface TrustRuleOptions {
  /** The text of a key file. Without it, rules of the form `file:` are refused. */
  readKeyFile?: (path: string) => string;
}

/**
 * Reads rules of the form `<issuer>=<keys>`, separated by commas or white space. Keys are a location,
 * `https://*.example.com=https://certificates.plugins.coyoapp.com/`, or a file, whose fragment names
 * the algorithm if the keys do not: `https://acme.example.com=file:keys/acme.pem#RS512`. Several rules may name one
 * issuer. The word `haiilo` stands for the rules of that platform (known-platforms.ts of `@dowel/schema`).
 *
 * @example
 * const trustRules = parseTrustRules('https://*.example.com=https://keys.example.com/');
 *
 * @throws TypeError that names the rule and says how to fix it.
 */
export function parseTrustRules(text: string, options: TrustRuleOptions = {}): TrustRule[] {
  return text
    .split(/[\s,]+/)
    .filter((rule) => rule !== '')
    .flatMap((rule) => spellOut(rule))
    .map((rule) => parseTrustRule(rule, options));
}

/** A word is replaced by the rules that it stands for: each issuer with each key location. */
function spellOut(rule: string): string[] {
  if (!isKnownPlatform(rule)) return [rule];
  const { issuers, keyLocations } = knownPlatforms[rule];
  return issuers.flatMap((issuer) => keyLocations.map((location) => `${issuer}=${location}`));
}

/** The origins that key documents are fetched from, each once. */
export function keyOrigins(rules: readonly TrustRule[]): string[] {
  const origins = rules.flatMap(({ keys }) => (keys.kind === 'location' ? keys.origin : []));
  return [...new Set(origins)];
}

/**
 * The origins of key locations that may have private addresses: those with http, which are
 * on this machine, and those in `hosts`.
 */
export function internalKeyOrigins(
  rules: readonly TrustRule[],
  hosts: readonly string[],
): string[] {
  return keyOrigins(rules).filter(
    (origin) => origin.startsWith('http:') || hosts.includes(new URL(origin).host),
  );
}

function parseTrustRule(text: string, { readKeyFile }: TrustRuleOptions): TrustRule {
  const [issuer, keys, ...rest] = text.split('=');
  if (!issuer || !keys || rest.length > 0 || (!keys.startsWith('file:') && !URL.canParse(keys))) {
    throw new TypeError(
      `"${text}" is not of the form <issuer origin>=<key location>, for example https://*.example.com=https://keys.example.com/. It may also be the word ${Object.keys(knownPlatforms).join(' or ')}`,
    );
  }
  return {
    issuer: parseIssuerPattern(issuer),
    keys: keys.startsWith('file:')
      ? parseKeyFile(keys.slice('file:'.length), readKeyFile)
      : parseKeyLocation(new URL(keys)),
  };
}

function parseKeyLocation(url: URL): KeyLocation {
  const { origin, pathname } = url;
  if (!isSecure(url) || !pathname.endsWith('/') || url.href !== new URL(pathname, origin).href) {
    throw new TypeError(
      `The key location "${url.href}" must be an https URL (http only on localhost) that ends in a slash`,
    );
  }
  if (!isPlainKeyPath(pathname)) {
    throw new TypeError(
      `The path of the key location "${url.href}" may have letters, digits and . _ ~ - / only, because no jku may have others`,
    );
  }
  return { kind: 'location', origin, pathPrefix: pathname };
}

function parseKeyFile(reference: string, readKeyFile: TrustRuleOptions['readKeyFile']): StaticKeys {
  const [path = '', alg] = reference.split('#');
  if (!readKeyFile) throw new TypeError(`The key file "${path}" must be a key location here`);
  if (alg !== undefined && !isAlgorithm(alg)) {
    throw new TypeError(
      `The algorithm of the key file "${path}" must be ${algorithms.join(' or ')}`,
    );
  }
  const text = readText(path, readKeyFile);
  try {
    return { kind: 'static', keys: parseStaticKeys(text, alg) };
  } catch (cause) {
    throw new TypeError(
      `The key file "${path}" must contain public RSA keys of at least 2048 bits, as PEM, JWK or JWKS, and name their algorithm, such as file:${path}#RS512${detailOf(cause)}`,
      { cause },
    );
  }
}

/** Our own sentence about what is wrong. Those of node:crypto, which have a code, may repeat the file. */
function detailOf(cause: unknown): string {
  const isOurs =
    cause instanceof StrictJsonError || (cause instanceof TypeError && !('code' in cause));
  return isOurs ? `. ${cause.message}` : '';
}

function readText(path: string, readKeyFile: (path: string) => string): string {
  try {
    return readKeyFile(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new TypeError(`The key file "${path}" cannot be read: ${reason}`, { cause });
  }
}
