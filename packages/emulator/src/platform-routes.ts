/** The routes that plug-ins call: token endpoint, trigger, notifications, and the key document behind `jku`. */
import Router from '@koa/router';
import type { Context, Next } from 'koa';
import { requireAccess } from './access-token.ts';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import { answerNotification } from './notification-endpoint.ts';
import type { TenantState } from './tenant-state.ts';
import { serveTokenRequest } from './token-endpoint.ts';
import { answerTrigger } from './trigger-endpoint.ts';

const daySeconds = 86_400;

/** Creates the routes below `/t` and `/certificates`. */
export function createPlatformRoutes(env: Environment, states: readonly TenantState[]): Router {
  const router = new Router();
  const findState = (slug: string | undefined): TenantState => {
    const state = states.find((each) => each.slug === slug);
    if (state) return state;
    throw new PlatformError('TENANT_NOT_FOUND', 'No such tenant');
  };

  router.get('/certificates/:file', async (ctx) => {
    const key = await env.signingKeys.find(`${env.origin}${ctx.path}`);
    if (!key) throw new PlatformError('NOT_FOUND', 'There is no such key');
    ctx.set('Access-Control-Allow-Origin', '*');
    // The URL of a key never has another one.
    ctx.set('Cache-Control', `max-age=${daySeconds}, immutable`);
    ctx.body = key.keyDocument;
  });
  router.post('/t/:slug/api/oauth/token', (ctx) =>
    serveTokenRequest(ctx, env, findState(ctx.params.slug)),
  );
  router.post('/t/:slug/api/plugins/:pluginId/access_token/:tenantId', (ctx) => {
    const { slug, pluginId = '', tenantId = '' } = ctx.params;
    return answerTrigger(ctx, env, findState(slug), { pluginId, tenantId });
  });
  router.post('/t/:slug/api/plugins/:pluginId/instances/:instanceId/notifications', (ctx) => {
    const { slug, pluginId = '', instanceId = '' } = ctx.params;
    return answerNotification(ctx, env, findState(slug), { pluginId, instanceId });
  });
  return router;
}

/** A middleware after all routes: paths of the platform's API that the emulator does not have. */
export function refuseOtherApi(states: readonly TenantState[]) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const [, slug] = /^\/t\/([^/]+)\/api(?:\/|$)/.exec(ctx.path) ?? [];
    const state = states.find((each) => each.slug === slug);
    // A route with this path and another method has matched.
    if (!state || ctx.matched?.length) return next();
    requireAccess(ctx, state);
    throw new PlatformError('NOT_EMULATED', 'The emulator does not have this part of the API');
  };
}
