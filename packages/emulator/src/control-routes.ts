/** The control API of control-api.ts over HTTP: parses, asks the operations, answers. */
import Router from '@koa/router';
import type { Context } from 'koa';
import {
  addInstanceSchema,
  initRequestSchema,
  installSchema,
  instanceConfigSchema,
  labChangeSchema,
  revokeSchema,
  type Session,
  saveRequestSchema,
  signInSchema,
  type Tenant,
  type User,
} from './control-api.ts';
import { createControlSessions, refuseForeignOrigins } from './control-session.ts';
import type { Environment } from './environment.ts';
import type { Operations } from './operations.ts';
import { readJson } from './request-body.ts';
import type { ControlSession } from './snapshot.ts';
import { streamChanges } from './stream-changes.ts';

const maxConfigBytes = 64 * 1024;

export function createControlRoutes(
  env: Environment,
  operations: Operations,
  controlSessions: ControlSession[],
): Router {
  const router = new Router({ prefix: '/control' });
  const sessions = createControlSessions(controlSessions, env.changes.publishState);
  const signedIn = (ctx: Context) => {
    const { user, tenant } = operations.findUser(sessions.userId(ctx));
    const { tenantId } = tenant;
    return { user, tenant, tenantId, userId: user.userId, language: user.language };
  };
  const keyOf = (ctx: Context & { params: { pluginId?: string } }) => {
    const { tenantId, language } = signedIn(ctx);
    return { tenantId, language, pluginId: ctx.params.pluginId ?? '' };
  };

  router.use(refuseForeignOrigins(env.origin), (ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    return next();
  });

  router.get('/tenants', (ctx) => {
    ctx.body = { tenants: operations.tenants };
  });
  router.get('/session', (ctx) => {
    ctx.body = viewSession(signedIn(ctx));
  });
  router.post('/session', async (ctx) => {
    const { userId } = await readJson(ctx, signInSchema);
    const session = viewSession(operations.findUser(userId));
    sessions.start(ctx, userId);
    answer(ctx, 201, session);
  });
  router.delete('/session', (ctx) => {
    sessions.end(ctx);
    ctx.status = 204;
  });

  router.get('/plugins', (ctx) => {
    const { tenantId, language } = signedIn(ctx);
    ctx.body = operations.plugins(tenantId, language);
  });
  router.post('/plugins', async (ctx) => {
    const { tenantId, language } = signedIn(ctx);
    const { manifestUrl } = await readJson(ctx, installSchema);
    answer(ctx, 201, await operations.install({ tenantId, language, manifestUrl }));
  });
  router.post('/plugins/:pluginId/update', async (ctx) => {
    ctx.body = await operations.update(keyOf(ctx));
  });
  router.delete('/plugins/:pluginId', async (ctx) => {
    await operations.uninstall(keyOf(ctx));
    ctx.status = 204;
  });
  router.post('/plugins/:pluginId/instances', async (ctx) => {
    const key = keyOf(ctx);
    const { entryPointId } = await readJson(ctx, addInstanceSchema);
    answer(ctx, 201, await operations.addInstance({ ...key, entryPointId }));
  });
  router.delete('/plugins/:pluginId/instances/:instanceId', async (ctx) => {
    const { instanceId = '' } = ctx.params;
    await operations.removeInstance({ ...keyOf(ctx), instanceId });
    ctx.status = 204;
  });
  router.put('/plugins/:pluginId/instances/:instanceId/config', async (ctx) => {
    const { instanceId = '' } = ctx.params;
    const key = keyOf(ctx);
    const config = await readJson(ctx, instanceConfigSchema, maxConfigBytes);
    operations.saveConfig({ ...key, instanceId, config });
    ctx.status = 204;
  });
  router.post('/plugins/:pluginId/revoke', async (ctx) => {
    const key = keyOf(ctx);
    const { what } = await readJson(ctx, revokeSchema);
    operations.revoke({ ...key, what });
    ctx.status = 204;
  });
  router.post('/plugins/:pluginId/access-token-event', async (ctx) => {
    await operations.sendAccessTokenEvent(keyOf(ctx));
    answer(ctx, 202, { accepted: true });
  });

  router.post('/init', async (ctx) => {
    const { userId } = signedIn(ctx);
    const request = await readJson(ctx, initRequestSchema);
    answer(ctx, 201, { initJwt: await operations.createInitJwt({ userId, ...request }) });
  });
  router.post('/save', async (ctx) => {
    const { userId } = signedIn(ctx);
    const { instanceId } = await readJson(ctx, saveRequestSchema);
    answer(ctx, 201, await operations.createSaveJwt({ userId, instanceId }));
  });
  router.get('/lab', (ctx) => {
    ctx.body = operations.lab(signedIn(ctx).tenantId);
  });
  router.patch('/lab', async (ctx) => {
    const { tenantId } = signedIn(ctx);
    ctx.body = operations.changeLab(tenantId, await readJson(ctx, labChangeSchema));
  });
  router.get('/notifications', (ctx) => {
    ctx.body = { notifications: operations.notifications(signedIn(ctx).userId) };
  });
  router.get('/changes', (ctx) => streamChanges(ctx, env, signedIn(ctx)));
  return router;
}

function viewSession({ user, tenant }: { user: User; tenant: Tenant }): Session {
  const { users, ...ownTenant } = tenant;
  return { user, tenant: ownTenant, colleagues: users };
}

function answer(ctx: Context, status: number, body: object): void {
  ctx.status = status;
  ctx.body = body;
}
