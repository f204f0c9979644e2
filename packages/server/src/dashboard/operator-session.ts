/** An operator's session: a cookie whose digest is stored. Rows F05 to F07 of docs/threats.md. */
import { randomUUID } from 'node:crypto';
import type { SignInMethod } from '@dowel/admin-api';
import { type AdminSession, recordAction, type Store } from '@dowel/installation-store';
import type { Secret } from '@dowel/schema';
import type { Context } from 'koa';
import { ApiError } from '../base/errors.ts';
import type { Log } from '../log/log.ts';
import { describeDevice } from '../request/describe-device.ts';
import { createOpaqueToken, hashToken } from '../sessions/opaque-token.ts';
import { limitOperator, type OperatorLimits } from './operator-limits.ts';

const sessionLifetimeMs = 12 * 60 * 60 * 1000;
const idleMs = 30 * 60 * 1000;
/** A session's use is written at most once in this time, so it may end that much earlier. */
const useResolutionMs = 60_000;

export interface SessionContext {
  store: Pick<Store, 'sessions'>;
  cookie: DashboardCookie;
  /** Epoch milliseconds. */
  now: () => number;
}

export interface DashboardCookie {
  name: string;
  attributes: string;
}

export interface FoundSession extends AdminSession {
  tokenHash: string;
}

/** @param adminUrl without a slash at its end; may have a path */
export function describeSessionCookie(adminUrl: string): DashboardCookie {
  return describeCookie(adminUrl, 'dowel_admin', 'Strict');
}

/**
 * With TLS and without a base path, its prefix `__Host-` keeps other hosts of the domain from setting it.
 *
 * @param adminUrl without a slash at its end; may have a path
 */
export function describeCookie(
  adminUrl: string,
  name: string,
  sameSite: 'Strict' | 'Lax',
): DashboardCookie {
  const { protocol, pathname } = new URL(`${adminUrl}/`);
  const isSecure = protocol === 'https:';
  // Browsers accept the prefix __Host- only for the whole host.
  const prefix = pathname === '/' ? '__Host-' : '__Secure-';
  return {
    name: `${isSecure ? prefix : ''}${name}`,
    attributes: `Path=${pathname}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`,
  };
}

/** A person who has signed in. */
export interface SignedIn
  extends Pick<AdminSession, 'name' | 'role' | 'identity' | 'accountRevision'> {
  /** Of the identity provider, which gets it back at the sign-out. */
  idToken?: Secret | undefined;
}

export interface CodeContext extends SessionContext {
  store: Pick<Store, 'sessions' | 'accounts'>;
  logger: Pick<Log, 'error' | 'warn'>;
}

export interface SignInContext extends SessionContext {
  store: Pick<Store, 'sessions' | 'audit'>;
  operatorLimits: OperatorLimits;
  logger: Log;
}

/** Opens a session; the audit and the log have it. @throws ApiError `TOO_MANY_ATTEMPTS` */
export async function signIn(
  context: SignInContext,
  ctx: Context,
  operator: SignedIn,
): Promise<AdminSession> {
  const { name, role, identity } = operator;
  // A code is made where Dowel runs.
  if (identity.method !== 'code') limitOperator(context.operatorLimits, 'sign-in', identity);
  const { method } = identity;
  const session = await recordAction(context.store.audit, {
    entry: {
      who: name,
      identity,
      role,
      way: 'page',
      from: ctx.ip,
      action: 'sign-in',
      target: method,
    },
    act: () => openSession(context, ctx, operator),
  });
  const signedIn = { sessionId: session.id, name, role, method, address: ctx.ip };
  context.logger.info(signedIn, 'operator.signed_in');
  return session;
}

/**
 * The owner who has a one-time code, which counts once.
 *
 * @throws ApiError `SIGN_IN_FAILED`
 */
export async function takeSignInCode(
  { store, logger, now }: CodeContext,
  ctx: Context,
  code: string,
): Promise<SignedIn> {
  const redeemed = await store.accounts.redeemSignInCode(code, now());
  if (!redeemed) {
    throw refuse(logger, ctx, 'code', 'The code is wrong, was used before, or is too old');
  }
  const { name } = redeemed;
  const identity = { method: 'code', issuer: null, subject: name } as const;
  return { name, role: 'owner', identity, accountRevision: null };
}

/** The answer contains no reason. The log contains no name: somebody may have typed a password there. */
export function refuse(
  logger: Pick<Log, 'warn'>,
  ctx: Context,
  method: SignInMethod,
  message: string,
): ApiError {
  logger.warn({ method, address: ctx.ip }, 'operator.sign_in_refused');
  return new ApiError('SIGN_IN_FAILED', message);
}

/** Opens a session with a new token, and sets its cookie. */
async function openSession(
  { store, cookie, now }: SessionContext,
  ctx: Context,
  { idToken, ...operator }: SignedIn,
): Promise<AdminSession> {
  const token = createOpaqueToken();
  const createdAt = now();
  const session: AdminSession = {
    id: randomUUID(),
    ...operator,
    method: operator.identity.method,
    createdAt,
    expiresAt: createdAt + sessionLifetimeMs,
    idleAt: createdAt + idleMs,
    address: ctx.ip,
    ...describeDevice(ctx.get('User-Agent')),
  };
  await store.sessions.createAdminSession(hashToken(token), session, idToken);
  const maxAge = `Max-Age=${sessionLifetimeMs / 1000}`;
  ctx.append('Set-Cookie', `${cookie.name}=${token}; ${cookie.attributes}; ${maxAge}`);
  return session;
}

/** Ends the request's session, and removes its cookie. */
export async function closeSession(
  { store, cookie }: SessionContext,
  ctx: Context,
  { tokenHash }: FoundSession,
): Promise<void> {
  await store.sessions.removeAdminSession(tokenHash);
  ctx.set('Set-Cookie', `${cookie.name}=; ${cookie.attributes}; Max-Age=0`);
}

/**
 * Does not extend the session.
 *
 * @throws ApiError `SIGN_IN_REQUIRED`
 */
export async function findSession(
  { store, cookie, now }: SessionContext,
  ctx: Context,
): Promise<FoundSession> {
  const tokenHash = hashToken(readCookie(ctx, cookie.name) ?? '');
  const session = await store.sessions.findAdminSession(tokenHash, now());
  if (!session) throw new ApiError('SIGN_IN_REQUIRED', 'Sign in first');
  return { ...session, tokenHash };
}

/**
 * A session that was found earlier. The check does not extend it.
 *
 * @returns whether it is still valid, by both limits and by its account
 */
export async function hasSession(
  { store, now }: Pick<SessionContext, 'store' | 'now'>,
  { tokenHash }: Pick<FoundSession, 'tokenHash'>,
): Promise<boolean> {
  return (await store.sessions.findAdminSession(tokenHash, now())) !== undefined;
}

/** In epoch milliseconds, at most a minute too early. */
export function lastUseOf({ idleAt }: Pick<AdminSession, 'idleAt'>): number {
  return idleAt - idleMs;
}

export function readCookie(ctx: Context, name: string): string | undefined {
  const pairs = ctx.get('Cookie').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** A person's request extends the session. A request that the page marks as its own does not. */
export async function keepSession(
  { store, now }: SessionContext,
  ctx: Context,
  { tokenHash, idleAt }: FoundSession,
): Promise<void> {
  if (ctx.get('X-Dowel-Background') !== '') return;
  const at = now();
  if (at + idleMs - idleAt < useResolutionMs) return;
  // The operator can still read while the database cannot write.
  await store.sessions.extendAdminSession(tokenHash, at + idleMs, at).catch(() => undefined);
}
