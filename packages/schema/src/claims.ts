/**
 * The parts of claims and token responses. They refuse values that a lenient reader would accept:
 * arrays in place of strings, blanks, control characters, two spellings of one UUID.
 */
import { z } from 'zod';
import { Secret } from './secret.ts';
import { baseUrlPattern, canonicalIssuer, controls } from './urls.ts';

/** Not blank, no blank at the beginning or end, and no control character. */
const printable = new RegExp(`^[^\\s${controls}](?:[^${controls}]*[^\\s${controls}])?$`, 'u');
/** Formatting, half a character, or a line break. Not in the JSON Schemas, because other languages lack these classes. */
const invisible = /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A name that is compared, stored and logged, but never interpreted. */
export function identifier(maxLength: number) {
  const error = 'Blank, has control characters, or begins or ends with a blank';
  return z
    .string()
    .max(maxLength)
    .regex(printable, { error, abort: true })
    .refine((text) => !invisible.test(text), error);
}

/** Converted to lower case, so that all spellings of one UUID are equal. */
export const uuid = z.guid().toLowerCase();

/** Seconds since the epoch (RFC 7519 §2, "NumericDate"). A fraction is cut off: events are ordered by whole seconds. */
export const numericDate = z
  .number()
  .nonnegative()
  .max(Number.MAX_SAFE_INTEGER)
  .overwrite(Math.floor);

/** `iss`: the tenant's URL, in its one canonical spelling. */
export const issuer = identifier(2048)
  .regex(baseUrlPattern, 'Not an http(s) URL without user name, query and fragment')
  .refine(URL.canParse, 'Not a URL')
  .overwrite((text) => canonicalIssuer(text) ?? text);

/** A secret that is sent in a header or a query, where control characters are not allowed. */
export const secretText = z
  .string()
  .min(1)
  .max(16_384)
  .regex(new RegExp(`^[^${controls}]+$`, 'u'), 'Has control characters')
  .transform((value) => new Secret(value));

/** Text that is sent back unchanged, including line breaks. */
export const secretBody = z
  .string()
  .min(1)
  .max(16_384)
  .transform((value) => new Secret(value));

/** An access token (RFC 6749 appendix A.12); other characters could not be sent in a header. */
export const bearerText = z
  .string()
  .max(16_384)
  .regex(/^[\x21-\x7e]+$/, 'Only printable ASCII without blanks is allowed')
  .transform((value) => new Secret(value));
