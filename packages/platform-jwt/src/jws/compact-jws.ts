/**
 * The compact form of a JWS (RFC 7515 §7.1) in its canonical spelling, and the header that it may
 * have. Nothing here is believed before the signature is verified.
 */

import { PlatformJwtError, type PlatformJwtReason } from '../errors.ts';
import { decodeBase64url } from './base64url.ts';
import {
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  StrictJsonError,
} from './strict-json.ts';

const maxLength = 16_384;
const maxJkuLength = 2048;
const maxKidLength = 256;
const compactForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** The platform's algorithms without `NONE` (docs/decisions/0002-event-keys.md). */
export const algorithms = ['RS256', 'RS384', 'RS512'] as const;
export type Algorithm = (typeof algorithms)[number];

export interface CompactJws {
  header: JwsHeader;
  /** The unverified claims, parsed from exactly the bytes that the signature covers. */
  payload: JsonObject;
  /** The whole JWS, for the verification. */
  jwt: string;
}

export interface JwsHeader {
  alg: Algorithm;
  jku: string | undefined;
  kid: string | undefined;
  /** It has parameters that are ignored because they are not known. */
  hasUnknown: boolean;
}

/**
 * @throws PlatformJwtError `bad_token_format`, `alg_not_allowed`, `header_not_allowed`, or
 * `claims_invalid` when the payload is ambiguous JSON.
 */
export function parseCompactJws(jwt: string): CompactJws {
  const { header, payload } = decodeParts(jwt);
  return {
    header: readHeader(decodeObject(header, 'header_not_allowed')),
    payload: readPayload(payload),
    jwt,
  };
}

/**
 * The unverified claims alone. The header is not read.
 *
 * @throws PlatformJwtError
 */
export function parsePayload(jwt: string): JsonObject {
  return readPayload(decodeParts(jwt).payload);
}

function decodeParts(jwt: string) {
  // control A07
  if (typeof jwt !== 'string' || jwt.length > maxLength || !compactForm.test(jwt)) {
    throw new PlatformJwtError('bad_token_format');
  }
  const [header, payload, signature] = jwt.split('.').map(decodeBase64url);
  if (!header || !payload || !signature) throw new PlatformJwtError('bad_token_format');
  return { header, payload };
}

function readPayload(payload: Buffer): JsonObject {
  return decodeObject(payload, 'claims_invalid');
}

/** These would change how a JWT is verified, or name a key of the sender's choice. */
const refusedParameters: readonly string[] = ['crit', 'jwk', 'x5u', 'x5c', 'b64', 'zip', 'enc'];
/** These are known, and do not affect the verification: the type of the payload, the signer's certificate (RFC 7515 §4). */
const ignoredParameters: readonly string[] = ['cty', 'x5t', 'x5t#S256'];

/** Any other parameter is ignored (RFC 7515 §4), because nothing reads it. */
function readHeader({ alg, typ, jku, kid, ...others }: JsonObject): JwsHeader {
  // control A01
  if (!isAlgorithm(alg)) throw new PlatformJwtError('alg_not_allowed');
  const names = Object.keys(others);
  if (
    // control A05
    names.some((name) => refusedParameters.includes(name)) ||
    !isOptionalText(typ, 'JWT'.length) ||
    (typ !== undefined && typ.toUpperCase() !== 'JWT') ||
    !isOptionalText(jku, maxJkuLength) ||
    !isOptionalText(kid, maxKidLength)
  ) {
    throw new PlatformJwtError('header_not_allowed');
  }
  const hasUnknown = names.some((name) => !ignoredParameters.includes(name));
  return { alg, jku, kid, hasUnknown };
}

export function isAlgorithm(value: unknown): value is Algorithm {
  return algorithms.some((algorithm) => algorithm === value);
}

function isOptionalText(
  value: JsonValue | undefined,
  maxLength: number,
): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value.length <= maxLength);
}

/** @param ambiguous the reason for JSON that two parsers could read differently, or that is not an object */
function decodeObject(bytes: Buffer, ambiguous: PlatformJwtReason): JsonObject {
  const value = decodeJson(bytes, ambiguous);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PlatformJwtError(ambiguous);
  }
  return value;
}

/** Keeps no state between texts. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeJson(bytes: Buffer, ambiguous: PlatformJwtReason): JsonValue {
  try {
    return parseStrictJson(utf8.decode(bytes));
  } catch (cause) {
    const isAmbiguous = cause instanceof StrictJsonError && cause.kind === 'ambiguous';
    throw new PlatformJwtError(isAmbiguous ? ambiguous : 'bad_token_format', { cause });
  }
}
