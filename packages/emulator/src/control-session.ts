/** Who is signed in to the control API: a cookie with a random id, and the origin rule that guards it. */
import { randomBytes } from 'node:crypto';
import type { Context, Next } from 'koa';
import { PlatformError } from './errors.ts';

const cookieName = 'dowel_emulator';
const maxSessions = 1000;

export interface ControlSessions {
  start(ctx: Context, userId: string): void;
  end(ctx: Context): void;
  /** @throws PlatformError `UNAUTHENTICATED` */
  userId(ctx: Context): string;
}

export function createControlSessions(): ControlSessions {
  const userIds = new Map<string, string>();
  return {
    start(ctx, userId) {
      const sessionId = randomBytes(32).toString('base64url');
      userIds.set(sessionId, userId);
      const [oldest] = userIds.keys();
      if (userIds.size > maxSessions && oldest) userIds.delete(oldest);
      ctx.cookies.set(cookieName, sessionId, { httpOnly: true, sameSite: 'lax' });
    },
    end(ctx) {
      userIds.delete(ctx.cookies.get(cookieName) ?? '');
      ctx.cookies.set(cookieName, null, { httpOnly: true, sameSite: 'lax' });
    },
    userId(ctx) {
      const userId = userIds.get(ctx.cookies.get(cookieName) ?? '');
      if (userId) return userId;
      throw new PlatformError('UNAUTHENTICATED', 'Sign in first');
    },
  };
}

/**
 * A plug-in's page is on the same site as the emulator when both run on localhost, so that SameSite
 * alone would let it use the cookie. Sandboxed pages send `null`.
 */
export function refuseForeignOrigins(origin: string) {
  return (ctx: Context, next: Next): Promise<unknown> => {
    const asker = ctx.get('origin');
    if (asker === '' || asker === origin) return next();
    throw new PlatformError('FOREIGN_ORIGIN', 'Only the pages of the emulator may ask');
  };
}
