/** The control API of control-api.ts over HTTP: a table of routes that call the operations. */
import Router from '@koa/router';
import { addRoutes, type Control, type ControlRoute } from './control-route.ts';
import { refuseForeignOrigins } from './control-session.ts';
import { describeControlApi } from './describe-control-api.ts';
import { exchangeRoutes } from './exchange-routes.ts';
import { labRoutes } from './lab-routes.ts';
import type { Operations } from './operations.ts';
import type { Visitor } from './own-route.ts';
import { pageRoutes } from './page-routes.ts';
import { peopleRoutes } from './people-routes.ts';
import { pluginRoutes } from './plugin-routes.ts';
import { sessionRoutes } from './session-routes.ts';

/** Creates the routes below `/control`: the emulator's own, and those of its host. */
export function createControlRoutes(control: Control, others: readonly ControlRoute[]): Router {
  const { env, operations, sessions } = control;
  const router = new Router({ prefix: '/control' });
  router.use(refuseForeignOrigins(env.origin), (ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    return next();
  });
  const creators = [
    peopleRoutes,
    sessionRoutes,
    pluginRoutes,
    exchangeRoutes,
    labRoutes,
    pageRoutes,
  ];
  const routes = [...creators.flatMap((create) => create(control)), ...others];
  addRoutes(router, routes, (ctx) => visitorOf(operations, sessions.userId(ctx)));
  const { origin } = env;
  // At the first request: it takes tens of milliseconds.
  let document: ReturnType<typeof describeControlApi> | undefined;
  router.get('/openapi.json', (ctx) => {
    document ??= describeControlApi(routes, { origin, cookieName: sessions.cookieName });
    ctx.body = document;
  });
  return router;
}

/** @throws PlatformError `USER_NOT_FOUND` */
function visitorOf(operations: Operations, userId: string): Visitor {
  const { user, tenant } = operations.findUser(userId);
  return { user, tenant, tenantId: tenant.tenantId, userId, language: user.language };
}
