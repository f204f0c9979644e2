/** Schemas and parts of rows for the texts of settings. Each error text follows the setting's name and contains the fix. */
import { z } from 'zod';
import { splitList } from '../base/split-list.ts';

/** An http(s) URL without query, fragment and user; its value has no slash at the end. */
export const url = z
  .url({
    protocol: /^https?$/,
    abort: true,
    error: 'must be an http(s) URL, such as https://plugin.example.com',
  })
  .refine((text) => isPlainUrl(text), {
    error:
      'must be an origin with or without a plain path, such as https://plugin.example.com or https://example.com/polls: no query, no fragment, no user',
  })
  .transform((text) => new URL(text).href.replace(/\/$/, ''));

/** The same path at another origin, without a slash at its end. */
export function moveUrl(url: string, origin: string): string {
  return `${origin}${new URL(url).pathname.replace(/\/$/, '')}`;
}

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url?.href === `${url?.origin}${url?.pathname}` &&
    /^\/(?:[A-Za-z0-9._~-]+\/?)*$/.test(url.pathname)
  );
}

const scopesMessage =
  'must be scopes separated by commas, such as plugin:notify, or none for no essential scope';
/** A scope as in RFC 6749 §3.3. It contains no comma, because commas separate entries. */
export const essentialScopes = z
  .string()
  .regex(/^[\x21\x23-\x5b\x5d-\x7e\s]+$/, scopesMessage)
  .transform(splitList)
  .refine((scopes) => scopes.length > 0, scopesMessage)
  .transform((scopes) => (scopes.join() === 'none' ? [] : scopes));

/**
 * @param parse throws an error whose message follows the setting's name
 * @param describe returns another text for the error
 */
export function parsedBy<Value>(
  parse: (text: string) => Value,
  describe = (error: Error): string => error.message,
) {
  return z.string().transform((text, context): Value => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: describe(error as Error) });
      return z.NEVER;
    }
  });
}

/** Digits only: `0x10` and `1e3` are mistakes. The error contains `what` and the limits. */
function wholeNumber(what: string, { min, max }: { min: number; max: number }) {
  const error = `must be ${what} from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error, abort: true })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
}

/** The part of a row whose value is a whole number. */
export function count(what: string, range: { min: number; max: number }, otherwise: number) {
  return { schema: wholeNumber(what, range).default(otherwise), range };
}

/** The same, without a default. */
export function optionalCount(what: string, range: { min: number; max: number }) {
  return { schema: wholeNumber(what, range).optional(), range };
}

export function perMinute(what: string, otherwise: number, max = 1_000_000) {
  return {
    ...count(`a number of ${what} a minute`, { min: 1, max }, otherwise),
    unit: 'perMinute',
  } as const;
}

const unitsMs = { seconds: 1_000, minutes: 60_000 } as const;

/** The part of a row whose variable has a larger unit than its option, which is in milliseconds. */
export function duration(
  unit: keyof typeof unitsMs,
  range: { min: number; max: number },
  otherwiseMs: number,
) {
  const unitMs = unitsMs[unit];
  return {
    schema: wholeNumber(`a number of ${unit}`, range)
      .transform((value) => value * unitMs)
      .default(otherwiseMs),
    range,
    unit: unit === 'seconds' ? 's' : unit,
    unitMs,
  } as const;
}

/** The part of a row whose value is one of a few words. The first is the default. */
export function oneOf<const Words extends readonly [string, ...string[]]>(...choices: Words) {
  const known = choices.join(', ').replace(/, (?=[^,]*$)/, ' or ');
  const schema = z
    .enum(choices, { error: `must be ${known}` })
    .default(choices[0] as Words[number] & string);
  return { schema, choices };
}

/** Empty if not set. */
const list = z.string().default('').transform(splitList);

export function listOf(entry: RegExp, error: string) {
  return list.refine((parts) => parts.every((part) => entry.test(part)), { error });
}

/** Hosts separated by commas or spaces, normalised like `URL` does: lower case, without the https port. */
export const hosts = list.transform((texts, context) => {
  const parsed = texts.map(parseHost);
  if (parsed.every((host) => host !== undefined)) return parsed;
  const message =
    'must be hosts separated by commas, each a name or an address, with a port or not, such as intranet.local,keys.local:8443,[fd00::1]';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

function parseHost(text: string): string | undefined {
  // Characters that make more or less of it than a host.
  if (/[/\\?#@*%]/.test(text)) return undefined;
  return URL.parse(`https://${text}`)?.host;
}

/** The first server's URL, because a URL has one host, and all servers. '' if it is not a URL of PostgreSQL. */
export function splitServers(databaseUrl: string): { url: string; servers: string } {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#@]*@)?)([^/?#]*)(.*)$/s.exec(databaseUrl);
  const [, start = '', servers = '', rest = ''] = parts ?? [];
  return { url: start && `${start}${servers.split(',')[0]}${rest}`, servers };
}

/** The URL of a PostgreSQL database. The error does not repeat it, because it may hold a password. */
export const databaseUrl = z.string().refine((text) => URL.canParse(splitServers(text).url), {
  error:
    'must be a PostgreSQL URL, such as postgresql://dowel@db.example.com:5432/dowel, with special characters of the password percent-encoded',
});
