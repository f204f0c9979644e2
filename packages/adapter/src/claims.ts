/**
 * Reads the parts of a token. The flat wire names `ctx.*`, `cfg.*` and `stt.*` become objects without
 * prototypes (`claims.ctx.userId`); names that could reach a prototype are refused.
 */
import { fail } from './plugin-error.ts';

/** The claims that the manifest's `context` requests. Other `ctx.*` claims are kept unchanged. */
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
 * Verified claims. `iat`, `nbf` and `exp` are seconds since the epoch. `Context` is the type of further
 * claims that the manifest's `context` requests. It is not checked, and a user may lack any of them.
 */
export interface InitClaims<Context = unknown> {
  /** The tenant's address in its canonical spelling: host in lower case, no slash at the end. */
  readonly iss: string;
  readonly sub: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly nbf?: number;
  readonly ctx: InitContext & Context;
  /** The instance's stored configuration, unchanged. */
  readonly cfg: { readonly [name: string]: unknown };
  /** The state of the host's page, such as `edit`. */
  readonly stt: { readonly [name: string]: unknown };
  readonly [name: string]: unknown;
}

type Branch = { [name: string]: unknown };

/**
 * The members of a decoded part.
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
  // A character that base64url does not have becomes `!`, so that `atob` fails. Alone, `atob` would skip
  // spaces.
  const base64 = part
    .replace(/[^\w-]/, '!')
    .replace(/-/g, '+')
    .replace(/_/g, '/');
  const binary = atob(base64);
  // `Uint8Array.from` takes half a millisecond when it runs for the first time.
  return new Uint8Array(binary.length).map((_, index) => binary.charCodeAt(index));
}

/**
 * Only the first dot counts: a configuration may have names with dots.
 *
 * @throws PluginError ERR3 for a forbidden, repeated or wrongly typed name
 */
export function readClaims(payload: string): InitClaims {
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
