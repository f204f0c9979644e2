/** The dashboard's API: sign-in by one-time code, then a cookie session; reading only. */

import type { AdminSession, Store } from '@dowel/installation-store';
import { installationListQuerySchema, type Manifest, signInRequestSchema } from '@dowel/schema';
import Router from '@koa/router';
import type { Context, Next } from 'koa';
import type { AdminSignIn } from './admin-sign-in.ts';
import { ApiError } from './api-error.ts';
import { streamChanges } from './change-stream.ts';
import { createOpaqueToken, hashToken } from './opaque-token.ts';
import { readJson } from './read-body.ts';
import { readQuery } from './read-query.ts';

const sessionLifetimeMs = 12 * 60 * 60 * 1000;
const idleMs = 30 * 60 * 1000;
/** A session's use is written at most once in this time. */
const useResolutionMs = 1_000;
const recentMs = 24 * 60 * 60 * 1000;

interface FoundSession extends AdminSession {
  tokenHash: string;
}

export interface AdminRoutesOptions {
  store: Store;
  signIn: AdminSignIn;
  manifest: Manifest;
  publicUrl: string;
  /** Aborting it ends the streams. */
  closing: AbortSignal;
  now: () => number;
}

export function createAdminRoutes(options: AdminRoutesOptions) {
  const { store, signIn, manifest, publicUrl, closing, now } = options;
  const router = new Router({ prefix: '/admin/api', strict: true, sensitive: true });
  const isSecure = publicUrl.startsWith('https:');
  const cookie = {
    name: isSecure ? '__Host-dowel_admin' : 'dowel_admin',
    attributes: `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
  };
  const pluginName = manifest.name.en ?? Object.values(manifest.name)[0] ?? 'Plug-in';
  router.use(refuseForeignPages);

  /**
   * Requires a custom header, which other pages cannot send, and checks the Origin, which they cannot
   * forge.
   */
  async function refuseForeignPages(ctx: Context, next: Next): Promise<void> {
    const isUnsafe = ctx.method !== 'GET' && ctx.method !== 'HEAD';
    const origin = ctx.get('Origin');
    if (isUnsafe && (ctx.get('X-Dowel-CSRF') !== '1' || (origin && origin !== publicUrl))) {
      throw new ApiError('CSRF', "The request does not come from the dashboard's own pages");
    }
    await next();
  }

  function readCookie(ctx: Context): string | undefined {
    const pairs = ctx.get('Cookie').split(/; */);
    return pairs.find((pair) => pair.startsWith(`${cookie.name}=`))?.slice(cookie.name.length + 1);
  }

  async function findSession(ctx: Context): Promise<FoundSession> {
    const tokenHash = hashToken(readCookie(ctx) ?? '');
    const session = await store.sessions.findAdminSession(tokenHash, now());
    if (!session) throw new ApiError('SIGN_IN_REQUIRED', 'Sign in first');
    return { ...session, tokenHash };
  }

  /** A person's request extends the session. A request that the page marks as its own does not. */
  async function requireSession(ctx: Context): Promise<FoundSession> {
    const session = await findSession(ctx);
    if (ctx.get('X-Dowel-Background') === '') await keepSession(session);
    return session;
  }

  async function keepSession({ tokenHash, idleAt }: FoundSession): Promise<void> {
    const at = now();
    if (at + idleMs - idleAt < useResolutionMs) return;
    // The operator can still read while the database cannot write.
    await store.sessions.extendAdminSession(tokenHash, at + idleMs, at).catch(() => undefined);
  }

  router.post('/session', async (ctx) => {
    const { code } = await readJson(ctx.req, signInRequestSchema);
    signIn.redeem(code);
    const token = createOpaqueToken();
    const expiresAt = now() + sessionLifetimeMs;
    const idleAt = now() + idleMs;
    await store.sessions.createAdminSession(hashToken(token), { expiresAt, idleAt });
    ctx.set(
      'Set-Cookie',
      `${cookie.name}=${token}; ${cookie.attributes}; Max-Age=${sessionLifetimeMs / 1000}`,
    );
    ctx.status = 201;
    ctx.body = { expiresAt };
  });

  router.get('/session', async (ctx) => {
    const { expiresAt } = await requireSession(ctx);
    ctx.body = { expiresAt };
  });

  router.delete('/session', async (ctx) => {
    const { tokenHash } = await requireSession(ctx);
    await store.sessions.removeAdminSession(tokenHash);
    ctx.set('Set-Cookie', `${cookie.name}=; ${cookie.attributes}; Max-Age=0`);
    ctx.status = 204;
  });

  router.get('/installations', async (ctx) => {
    await requireSession(ctx);
    const query = readQuery(ctx, installationListQuerySchema);
    const page = await store.reports.listInstallations(query);
    const counts = await store.reports.countInstallations(now() - recentMs);
    ctx.body = { now: now(), pluginName, ...page, counts };
  });

  router.get('/installations/:id', async (ctx) => {
    await requireSession(ctx);
    const report = await store.reports.describeInstallation(ctx.params.id ?? '');
    if (!report) throw new ApiError('NOT_FOUND', 'There is no such installation');
    const requestedScopes = manifest.apiAccess?.client.scope ?? [];
    ctx.body = { now: now(), pluginName, requestedScopes, ...report };
  });

  router.get('/changes', async (ctx) => {
    // An open page does not extend the session.
    const { expiresAt, tokenHash } = await findSession(ctx);
    const hasSession = async () =>
      (await store.sessions.findAdminSession(tokenHash, now())) !== undefined;
    streamChanges(ctx, store, { lifetimeMs: expiresAt - now(), closing, hasSession });
  });

  return router;
}
