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

/** Verified claims. `iat`, `nbf` and `exp` are seconds since the epoch. */
export interface InitClaims {
  /** The tenant's address. */
  readonly iss: string;
  readonly sub: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly nbf?: number;
  readonly ctx: InitContext;
  /** The instance's stored configuration, as it came. */
  readonly cfg: { readonly [name: string]: unknown };
  /** The state of the host's page, such as `edit`. */
  readonly stt: { readonly [name: string]: unknown };
  readonly [name: string]: unknown;
}

type Branch = { [name: string]: unknown };

/**
 * What a part says before anybody has vouched for it: quick, and right for names in ASCII.
 *
 * @throws DOMException or SyntaxError for what is not base64url of JSON
 */
export function peek<Part>(part: string): Part {
  return JSON.parse(decode(part));
}

/** @throws DOMException or SyntaxError */
export function toBytes(part: string): Uint8Array<ArrayBuffer> {
  const binary = decode(part);
  // A loop: `Uint8Array.from` takes half a millisecond when it runs for the first time.
  const bytes = new Uint8Array(binary.length);
  for (let index = binary.length; index--; ) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** One character for each byte. */
function decode(part: string): string {
  // What base64url lacks becomes what base64 lacks; `atob` alone would pass over spaces.
  return atob(
    part
      .replace(/[^\w-]/, '!')
      .replaceAll('-', '+')
      .replaceAll('_', '/'),
  );
}

/**
 * Only the first dot counts: a configuration may have names with dots.
 *
 * @throws PluginError ERR3 for a forbidden, repeated or wrongly typed name
 */
export async function readClaims(payload: string): Promise<InitClaims> {
  const claims = emptyBranch();
  claims.ctx = emptyBranch();
  claims.cfg = emptyBranch();
  claims.stt = emptyBranch();
  for (const [name, value] of Object.entries<unknown>(
    JSON.parse(new TextDecoder().decode(toBytes(payload)), withoutPrototype),
  )) {
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
  return value?.constructor === Object ? Object.assign(emptyBranch(), value) : value;
}

function emptyBranch(): Branch {
  return Object.create(null);
}
