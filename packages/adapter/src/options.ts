/**
 * Checks a plug-in author's options when they are passed in. A wrong option is refused at once. Otherwise it
 * would fail later and elsewhere, or more would be believed than intended.
 */
import { fail } from './plugin-error.ts';

/** The longest address that is read. An unsigned token may contain a long one. */
const maxAddressLength = 2_048;

/** Options with their defaults. Options named in `Optional` have no default, and may stay undefined. */
export type Defaulted<Options, Optional extends keyof Options = never> = {
  [Name in keyof Options]-?: Name extends Optional
    ? Options[Name]
    : Exclude<Options[Name], undefined>;
};

/**
 * A checked copy of the options, with the defaults of the missing ones. Each option must have the type of its
 * default. If the default is undefined, the function that reads the option checks it. Inherited options count
 * like own ones. No number may be negative or NaN.
 *
 * @param defaults the known options, by their names
 * @param path comes before each name, such as `issuers[0].`
 * @throws PluginError ERR_OPTIONS, which names the first wrong option and explains what to write
 */
export function readOptions<Options extends object>(
  given: { [Name in keyof Options]?: Options[Name] | undefined },
  defaults: Options,
  path = '',
): Options {
  if (Object(given) !== given) refuse(path || 'all', 'object');
  for (const name in given) {
    if (!Object.hasOwn(defaults, name)) {
      refuse(`${path + name} is unknown`, `one of ${Object.keys(defaults).join()}`);
    }
  }
  const options = {} as Options;
  for (const name in defaults) {
    const { [name]: value = defaults[name] } = given;
    const kind = Object(defaults[name]).constructor;
    const isRight = Object(value) instanceof kind;
    if (!isRight || (kind === Number && !((value as number) >= 0))) refuse(path + name, kind.name);
    options[name] = value as Options[typeof name];
  }
  return options;
}

/** The message does not contain the value, because it may be a secret. */
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
 * The canonical spelling of an issuer, by the back end's rule: scheme and host in lower case, no default
 * port, no slashes at the end. Undefined if it is not an http(s) URL, or has a user name, query or fragment.
 */
export function canonicalIssuer(issuer: unknown): string | undefined {
  const { origin, pathname, href } = parseAddress(issuer) ?? {};
  return pathname && href === origin + pathname ? href.replace(/(?<!\/)\/+$/, '') : undefined;
}

/**
 * An http(s) URL as the browser parses it: host in lower case, without default port and Unicode. Undefined if
 * a reader could see another host than the browser does.
 */
export function parseAddress(text: unknown): URL | undefined {
  const isPlain =
    typeof text === 'string' &&
    text.length <= maxAddressLength &&
    /^https?:\/\/[^\s/\\?#@%*]+(\/|$)/i.test(text);
  return isPlain && URL.canParse(text) ? new URL(text) : undefined;
}
