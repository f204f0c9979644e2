/**
 * The small parts that claims and token responses are made of. They refuse what a lenient reader
 * would guess at: arrays for strings, blanks, control characters, two spellings of one UUID.
 */
import { z } from 'zod';
import { Secret } from './secret.ts';
import { baseUrlPattern, canonicalIssuer } from './urls.ts';

/** Neither blank nor edged with blanks; no control, formatting or line-breaking character. */
const printable = /^(?!\s)[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+(?<!\s)$/u;

/** A name that is compared, stored and logged, but never interpreted. */
export function identifier(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .regex(printable, 'Blank, or holds control characters or blanks at an end');
}

/** Canonical lower case, so that spellings of one UUID name one thing. */
export const uuid = z.guid().toLowerCase();

/** Seconds since the epoch (RFC 7519 §2, "NumericDate"). */
export const numericDate = z.int().nonnegative();

/** `iss`: the tenant's URL, in its one canonical spelling. */
export const issuer = identifier(2048)
  .regex(baseUrlPattern, 'Not an http(s) URL without user name, query and fragment')
  .refine(URL.canParse, 'Not a URL')
  .overwrite((text) => canonicalIssuer(text) ?? text);

/** A secret that is sent on in a header or a query, where control characters have no place. */
export const secretText = z
  .string()
  .min(1)
  .max(16_384)
  .regex(/^\P{Cc}+$/u, 'Holds control characters')
  .transform((value) => new Secret(value));

/** Text that is sent back as it came, line breaks included. */
export const secretBody = z
  .string()
  .min(1)
  .max(16_384)
  .transform((value) => new Secret(value));

/** An access token as RFC 6749 appendix A.12 spells it; others could not be sent in a header. */
export const bearerText = z
  .string()
  .max(16_384)
  .regex(/^[\x21-\x7e]+$/, 'Not printable ASCII without blanks')
  .transform((value) => new Secret(value));
