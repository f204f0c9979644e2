/**
 * Turns the flat wire names of verified claims (`ctx.userId`) into objects (`claims.ctx.userId`).
 * Every object made here has no prototype, and names that could reach one are refused.
 */
import { PluginError } from './plugin-error.ts';

type Branch = { [name: string]: unknown };

/** What the manifest's `context` asked for; any other `ctx.*` is kept as it came. */
export interface InitContext {
  readonly tenantId?: string;
  readonly userId?: string;
  readonly userName?: string;
  readonly userEmail?: string;
  /** A language tag, such as `de`. */
  readonly userLanguage?: string;
  readonly [name: string]: unknown;
}

/** The verified claims. `iat`, `nbf` and `exp` are seconds since the epoch. */
export interface InitClaims {
  readonly iss: string;
  readonly sub: 'init';
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly nbf?: number;
  readonly ctx: InitContext;
  readonly [name: string]: unknown;
}

const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype']);
const contextTexts = ['tenantId', 'userId', 'userName', 'userEmail', 'userLanguage'];

/** @throws PluginError ERR3 for a forbidden, contradictory or wrongly typed name */
export function nestClaims(flat: object): Branch {
  const claims = emptyBranch();
  claims.ctx = emptyBranch();
  for (const [name, value] of Object.entries(flat)) place(claims, name, withoutPrototypes(value));
  const { ctx } = claims;
  if (!isBranch(ctx)) throw refused('ctx');
  for (const name of contextTexts) {
    if (!['string', 'undefined'].includes(typeof ctx[name])) throw refused(`ctx.${name}`);
  }
  return claims;
}

function place(claims: Branch, name: string, value: unknown): void {
  if (name === 'ctx' && isBranch(value)) {
    for (const [key, entry] of Object.entries(value)) place(claims, `ctx.${key}`, entry);
    return;
  }
  const path = name.split('.');
  const last = path.pop() ?? name;
  let branch = claims;
  for (const segment of path) {
    if (forbiddenNames.has(segment)) throw refused(name);
    branch[segment] ??= emptyBranch();
    const next = branch[segment];
    if (!isBranch(next)) throw refused(name);
    branch = next;
  }
  if (forbiddenNames.has(last) || last in branch) throw refused(name);
  branch[last] = value;
}

function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (!isBranch(value)) return value;
  const copy = emptyBranch();
  for (const [name, entry] of Object.entries(value)) {
    if (forbiddenNames.has(name)) throw refused(name);
    copy[name] = withoutPrototypes(entry);
  }
  return copy;
}

function emptyBranch(): Branch {
  return Object.create(null) as Branch;
}

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(name: string): PluginError {
  return new PluginError('ERR3', `The claim ${JSON.stringify(name.slice(0, 64))} is not allowed.`);
}
