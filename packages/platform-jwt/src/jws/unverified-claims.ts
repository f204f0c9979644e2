import { parsePayload } from './compact-jws.ts';
import type { JsonObject } from './strict-json.ts';

/**
 * The claims of a JWT for operators. Nothing in them is verified, and they may contain secrets. Undefined: they cannot be
 * read.
 */
export function readUnverifiedClaims(jwt: string): JsonObject | undefined {
  try {
    return parsePayload(jwt);
  } catch {
    return undefined;
  }
}
