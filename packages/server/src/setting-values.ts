/** Schemas for the texts of settings. Each error text follows the setting's name and contains the fix. */
import { z } from 'zod';

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
export function wholeNumber(what: string, { min, max }: { min: number; max: number }) {
  const error = `must be ${what} from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, { error, abort: true })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
}

/** Entries separated by commas or spaces. */
export function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== '');
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
