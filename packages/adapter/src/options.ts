/**
 * Checks the options that a plug-in's author wrote, when they are handed in. A wrong one is refused at
 * once: otherwise it fails later and elsewhere, or more is believed than was meant.
 */
import { fail } from './plugin-error.ts';

/** Of an address; a token that nobody signed may hold a long one. */
const maxAddressLength = 2_048;

/** Options with their defaults. Those named in `Optional` have none, and may stay undefined. */
export type Defaulted<Options, Optional extends keyof Options = never> = {
  [Name in keyof Options]-?: Name extends Optional
    ? Options[Name]
    : Exclude<Options[Name], undefined>;
};

/**
 * A checked copy of the options, with the defaults of those that were left out. Each option must be of
 * the kind of its default; one whose default is undefined is checked by the function that reads it.
 * Inherited options count like own ones. No number may be negative, or NaN.
 *
 * @param defaults the known options, by their names
 * @param path comes before each name, such as `issuers[0].`
 * @throws PluginError ERR_OPTIONS, which names the first wrong option and says what to write
 */
export function readOptions<Options extends object>(
  given: { [Name in keyof Options]?: Options[Name] | undefined },
  defaults: Options,
  path = '',
): Options {
  if (Object(given) !== given) refuse(path || 'all', 'object');
  const known = Object.keys(defaults);
  for (const name in given) {
    if (!known.includes(name)) refuse(`${path + name} is unknown`, `one of ${known.join()}`);
  }
  const options = { ...defaults };
  for (const name in defaults) {
    const value = given[name];
    if (value === undefined) continue;
    const kind = (defaults[name] as object | undefined)?.constructor;
    const isRight = !kind || (value as object | null)?.constructor === kind;
    if (!isRight || (kind === Number && !((value as number) >= 0))) refuse(path + name, kind.name);
    options[name] = value as Options[typeof name];
  }
  return options;
}

/** The value stays out of the message: it may hold a secret. */
export function refuse(name: string, expected: string): never {
  return fail('ERR_OPTIONS', `Option ${name}: write ${expected}`);
}

/** @throws PluginError ERR_OPTIONS for anything but http(s) origins, with or without a last slash */
export function readOrigins(values: unknown, name: string): string[] {
  return [values].flat().map((each) => {
    const { origin, href } = parseAddress(each) ?? {};
    return href === `${origin}/` ? (origin as string) : refuse(name, 'an origin');
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
    text.length <= maxAddressLength &&
    /^https?:\/\/[^\s/\\?#@%*]+(\/|$)/i.test(text);
  return isPlain && URL.canParse(text) ? new URL(text) : undefined;
}
