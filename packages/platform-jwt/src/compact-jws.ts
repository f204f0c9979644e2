/** The strict compact form of a JWS (RFC 7515 §7.1) and the header it may carry. */
import { z } from 'zod';
import { PlatformJwtError } from './errors.ts';

const maxLength = 16_384;
const compactForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** Only these; `crit`, `jwk`, `x5u`, `x5c`, `b64` and `zip` would change how the token is verified. */
const headerSchema = z.strictObject({
  alg: z.string(),
  typ: z.string().optional(),
  jku: z.string().optional(),
  kid: z.string().optional(),
});

const algorithmSchema = z.enum(['RS256', 'RS384', 'RS512']);

export type Algorithm = z.infer<typeof algorithmSchema>;

export interface CompactJws {
  alg: Algorithm;
  jku: string | undefined;
  /** Decoded and parsed, but believed by nobody before the signature is verified. */
  payload: unknown;
}

/** @throws PlatformJwtError `bad_token_format`, `alg_not_allowed` or `header_not_allowed`. */
export function parseCompactJws(jwt: string): CompactJws {
  if (jwt.length > maxLength || !compactForm.test(jwt)) {
    throw new PlatformJwtError('bad_token_format');
  }
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  decodeCanonical(signature);
  const rawHeader = decodeJson(header);
  const parsed = headerSchema.safeParse(rawHeader);
  if (!algorithmSchema.safeParse((rawHeader as { alg?: unknown } | null)?.alg).success) {
    throw new PlatformJwtError('alg_not_allowed');
  }
  if (!parsed.success) throw new PlatformJwtError('header_not_allowed');
  return {
    alg: algorithmSchema.parse(parsed.data.alg),
    jku: parsed.data.jku,
    payload: decodeJson(payload),
  };
}

function decodeJson(part: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(decodeCanonical(part)));
  } catch (cause) {
    throw new PlatformJwtError('bad_token_format', { cause });
  }
}

/** Refuses the other spellings that a lenient decoder maps to the same bytes (RFC 8725bis §3.14). */
function decodeCanonical(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new PlatformJwtError('bad_token_format');
  return bytes;
}
