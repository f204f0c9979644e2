/**
 * Reads the parts of a token. The flat wire names `ctx.*`, `cfg.*` and `stt.*` become objects without
 * prototypes (`claims.ctx.userId`); names that could reach a prototype are refused.
 */
import { fail } from './plugin-error.ts';

/** What the manifest's `context` asked for; any other `ctx.*` is kept as it came. */
export interface InitContext {
  readonly tenantId?: string | null;
  readonly userId?: string | null;
  readonly userName?: string | null;
  readonly userEmail?: string | null;
  /** A language tag, such as `de`. */
  readonly userLanguage?: string | null;
  readonly [name: string]: unknown;
}

/**
 * Verified claims. `iat`, `nbf` and `exp` are seconds since the epoch. `Context` says what else the
 * manifest's `context` asked for; nothing checks it, and a user may lack any of it.
 */
export interface InitClaims<Context = unknown> {
  /** The tenant's address in its one spelling: host in lower case, no slash at the end. */
  readonly iss: string;
  readonly sub: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly nbf?: number;
  readonly ctx: InitContext & Context;
  /** The instance's stored configuration, as it came. */
  readonly cfg: { readonly [name: string]: unknown };
  /** The state of the host's page, such as `edit`. */
  readonly stt: { readonly [name: string]: unknown };
  readonly [name: string]: unknown;
}

type Branch = { [name: string]: unknown };

/**
 * What a part says, in full.
 *
 * @throws DOMException or SyntaxError
 */
export function decodePart<Part>(
  part: string,
  reviver?: (name: string, value: object | null) => unknown,
): Part {
  return JSON.parse(new TextDecoder().decode(toBytes(part)), reviver);
}

/** @throws DOMException or SyntaxError */
export function toBytes(part: string): Uint8Array<ArrayBuffer> {
  // What base64url lacks becomes what base64 lacks; `atob` alone would pass over spaces.
  const base64 = part
    .replace(/[^\w-]/, '!')
    .replace(/-/g, '+')
    .replace(/_/g, '/');
  const binary = atob(base64);
  // Not `Uint8Array.from`, which takes half a millisecond when it runs for the first time.
  return new Uint8Array(binary.length).map((_, index) => binary.charCodeAt(index));
}

/**
 * Only the first dot counts: a configuration may have names with dots.
 *
 * @throws PluginError ERR3 for a forbidden, repeated or wrongly typed name
 */
export async function readClaims(payload: string): Promise<InitClaims> {
  const claims: Branch = {
    __proto__: null,
    ctx: { __proto__: null },
    cfg: { __proto__: null },
    stt: { __proto__: null },
  };
  for (const [name, value] of Object.entries<unknown>(decodePart(payload, withoutPrototype))) {
    const [first, group, member = first] = name.split(/^(ctx|cfg|stt)\./) as [string, ...string[]];
    const branch = (group ? claims[group] : claims) as Branch;
    const isText = typeof (value ?? '') === 'string' || !/^ctx\.(user|tenant)/.test(name);
    if (!isText || member in branch) fail('ERR3', `Bad claim ${name}`);
    branch[member] = value;
  }
  return claims as unknown as InitClaims;
}

function withoutPrototype(name: string, value: object | null): unknown {
  if (name.split('.').some((segment) => segment in {})) fail('ERR3', `Bad claim ${name}`);
  return value?.constructor === Object ? { __proto__: null, ...value } : value;
}
