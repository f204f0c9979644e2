/**
 * Checks the options that a plug-in's author wrote, when they are handed in. A wrong one is refused at
 * once: otherwise it fails later and elsewhere, or more is believed than was meant.
 */
import { fail } from './plugin-error.ts';

/** Of an address; a token that nobody signed may hold a long one. */
export const maxLength = 2_048;

/** The types that each known option may have, as `typeof` says them, or `list`. */
export type KnownOptions = Readonly<Record<string, string>>;

export const requestOptions: KnownOptions = { timeoutMs: 'number', signal: 'object' };

/** Of everybody who shakes hands; whether the values make sense is for those who read them. */
export const handshakeOptions: KnownOptions = {
  issuers: 'list',
  jkuOrigins: 'list',
  parentOrigin: 'string, list or function',
  clockToleranceMs: 'number',
  srcId: 'string',
  view: 'string',
  timeoutMs: 'number',
};

/**
 * `undefined` counts as left out. No number may be negative, or NaN.
 *
 * @param path comes before each name, such as `issuers[0].`
 * @throws PluginError ERR_OPTIONS, which names the first wrong option and says what to write
 */
export function checkOptions(options: object, known: KnownOptions, path = ''): void {
  if (Object(options) !== options) refuse(path || 'all', 'object');
  for (const [name, value] of Object.entries(options)) {
    const types = Object.hasOwn(known, name) && known[name];
    if (!types) {
      fail('ERR_OPTIONS', `Unknown option ${path}${name}. Known: ${Object.keys(known).join(', ')}`);
    }
    const type = Array.isArray(value) ? 'list' : typeof value;
    const isRight = types.includes(type) && (type !== 'number' || value >= 0);
    if (value !== undefined && !isRight) refuse(path + name, types);
  }
}

/** The value stays out of the diagnosis: it may hold a secret. */
export function refuse(name: string, expected: string): never {
  return fail('ERR_OPTIONS', `Option ${name}: write ${expected}`);
}

/** @throws PluginError ERR_OPTIONS for anything but http(s) origins, with or without a last slash */
export function readOrigins(values: unknown, name: string): string[] {
  return [values].flat().map((each) => {
    const { origin, href } = parseAddress(each) ?? {};
    return origin && href === `${origin}/` ? origin : refuse(name, 'an origin');
  });
}

/**
 * The one spelling of an issuer, by the rule of the back end: scheme and host in lower case, no
 * default port, no slashes at the end. Undefined for what is no http(s) URL, and for one with user name,
 * query or fragment.
 */
export function canonicalIssuer(issuer: unknown): string | undefined {
  const { origin, pathname, href } = parseAddress(issuer) ?? {};
  return pathname && href === origin + pathname ? href.replace(/(?<!\/)\/+$/, '') : undefined;
}

/**
 * An http(s) URL as the browser reads it: host in lower case, without default port and Unicode.
 * Undefined for one in which a reader could see another host than the browser does.
 */
export function parseAddress(text: unknown): URL | undefined {
  const isPlain =
    typeof text === 'string' &&
    text.length <= maxLength &&
    /^https?:\/\/[^\s/\\?#@%*]+(\/|$)/i.test(text);
  return isPlain && URL.canParse(text) ? new URL(text) : undefined;
}
