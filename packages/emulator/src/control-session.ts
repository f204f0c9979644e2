/** The sign-in to the control API: a cookie with a random id, and the origin rule that guards it. */
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { Context, Next } from 'koa';
import { PlatformError } from './errors.ts';
import { removeFirst } from './remove-first.ts';
import type { ControlSession } from './snapshot.ts';

const maxSessions = 1000;
const maxTokens = 1000;

export interface ControlSessions {
  readonly cookieName: string;
  /** A token that signs this user in once. */
  createToken(userId: string): string;
  /** Signs in, if the token was not used yet. */
  redeem(ctx: Context, token: string): void;
  start(ctx: Context, userId: string): void;
  end(ctx: Context): void;
  isSignedIn(ctx: Context): boolean;
  /** @throws PlatformError `UNAUTHENTICATED` */
  userId(ctx: Context): string;
}

/** Keeps them in `sessions`, the latest used last. The one that was not used for the longest time is dropped first. */
export function createControlSessions(
  sessions: ControlSession[],
  { origin, onChange }: { origin: string; onChange: () => void },
): ControlSessions {
  // A browser sends the cookies of one host to all its ports, and a second emulator may run at another one.
  const cookieName = `dowel_emulator_${new URL(origin).port}`;
  const isOf = (ctx: Context) => {
    const cookie = ctx.cookies.get(cookieName);
    return ({ sessionId }: ControlSession) => sessionId === cookie;
  };
  /** User ids by token, oldest first. In memory only. */
  const tokens = new Map<string, string>();
  const start = (ctx: Context, userId: string) => {
    const sessionId = randomBytes(32).toString('base64url');
    sessions.push({ sessionId, userId });
    if (sessions.length > maxSessions) sessions.shift();
    onChange();
    ctx.cookies.set(cookieName, sessionId, { httpOnly: true, sameSite: 'lax' });
  };
  return {
    cookieName,
    start,
    createToken(userId) {
      const token = randomBytes(32).toString('base64url');
      tokens.set(token, userId);
      if (tokens.size > maxTokens) tokens.delete(tokens.keys().next().value ?? '');
      return token;
    },
    redeem(ctx, token) {
      const userId = tokens.get(token);
      tokens.delete(token);
      if (userId !== undefined) start(ctx, userId);
    },
    end(ctx) {
      if (removeFirst(sessions, isOf(ctx))) onChange();
      ctx.cookies.set(cookieName, null, { httpOnly: true, sameSite: 'lax' });
    },
    isSignedIn: (ctx) => sessions.some(isOf(ctx)),
    userId(ctx) {
      const index = sessions.findIndex(isOf(ctx));
      const [session] = index < 0 ? [] : sessions.splice(index, 1);
      if (session) {
        sessions.push(session);
        return session.userId;
      }
      throw new PlatformError('UNAUTHENTICATED', 'Sign in first');
    },
  };
}

/**
 * A plug-in's page is on the same site as the emulator when both run on localhost, so SameSite
 * alone would let it use the cookie. Sandboxed pages send `null`. A website can let its own name lead to this
 * machine, and its requests then have no `Origin`: their `Host` has that name.
 */
export function refuseForeignOrigins(origin: string) {
  const { hostname } = new URL(origin);
  return (ctx: Context, next: Next): Promise<unknown> => {
    const asker = ctx.get('origin');
    const isOwnOrigin = asker === '' || asker === origin;
    if (isOwnOrigin && (ctx.hostname === hostname || !isWebsiteName(ctx.hostname))) return next();
    throw new PlatformError(
      'FOREIGN_ORIGIN',
      `Only the pages of the emulator may call this, at ${origin}`,
    );
  };
}

/** Not an address, and not a name of this machine or of a container: those have no dot. */
function isWebsiteName(hostname: string): boolean {
  return hostname.includes('.') && isIP(hostname) === 0;
}
