/** The control API of control-api.ts over HTTP: parses requests, calls the operations, and answers. */
import Router from '@koa/router';
import type { Context } from 'koa';
import {
  addInstanceSchema,
  exchangeQuerySchema,
  exchangesSchema,
  type FaultOptions,
  faultSchema,
  initRequestSchema,
  installSchema,
  instanceConfigSchema,
  labChangeSchema,
  revealQuerySchema,
  revokeSchema,
  type Session,
  saveRequestSchema,
  signInSchema,
  type Tenant,
  type User,
} from './control-api.ts';
import { createControlSessions, refuseForeignOrigins } from './control-session.ts';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import type { Operations } from './operations.ts';
import { readJson, readQuery } from './request-body.ts';
import type { ControlSession } from './snapshot.ts';
import { streamChanges } from './stream-changes.ts';

const maxConfigBytes = 64 * 1024;

/** Creates the routes below `/control`. */
export function createControlRoutes(
  env: Environment,
  operations: Operations,
  controlSessions: ControlSession[],
): Router {
  const router = new Router({ prefix: '/control' });
  const sessions = createControlSessions(controlSessions, {
    origin: env.origin,
    onChange: env.changes.publishState,
  });
  const control: Control = { env, operations, sessions };
  router.use(refuseForeignOrigins(env.origin), (ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    return next();
  });
  addSessionRoutes(router, control);
  addPluginRoutes(router, control);
  addInstanceRoutes(router, control);
  addAccessRoutes(router, control);
  addExchangeRoutes(router, control);
  addFaultRoutes(router, control);
  addPageRoutes(router, control);
  addTenantRoutes(router, control);
  return router;
}

interface Control {
  env: Environment;
  operations: Operations;
  sessions: ReturnType<typeof createControlSessions>;
}

/** The users, sign-in and sign-out. */
function addSessionRoutes(router: Router, control: Control): void {
  const { operations, sessions } = control;
  router.get('/tenants', (ctx) => {
    ctx.body = { tenants: operations.tenants };
  });
  router.get('/session', (ctx) => {
    // No 401: a browser would show the first look of its pages as an error.
    if (sessions.isSignedIn(ctx)) ctx.body = viewSession(signedIn(control, ctx));
    else ctx.status = 204;
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
}

/** Installs, updates and removes plug-ins. */
function addPluginRoutes(router: Router, control: Control): void {
  const { operations } = control;
  router.get('/plugins', (ctx) => {
    const { tenantId, language } = signedIn(control, ctx);
    ctx.body = operations.plugins(tenantId, language);
  });
  router.post('/plugins', async (ctx) => {
    const { tenantId, language } = signedIn(control, ctx);
    const { manifestUrl } = await readJson(ctx, installSchema);
    answer(ctx, 201, await operations.install({ tenantId, language, manifestUrl }));
  });
  router.post('/plugins/:pluginId/update', async (ctx) => {
    ctx.body = await operations.update(keyOf(control, ctx));
  });
  router.delete('/plugins/:pluginId', async (ctx) => {
    await operations.uninstall(keyOf(control, ctx));
    ctx.status = 204;
  });
}

/** Widgets on the tenant's page, and their configuration. */
function addInstanceRoutes(router: Router, control: Control): void {
  const { operations } = control;
  router.post('/plugins/:pluginId/instances', async (ctx) => {
    const key = keyOf(control, ctx);
    const { entryPointId } = await readJson(ctx, addInstanceSchema);
    answer(ctx, 201, await operations.addInstance({ ...key, entryPointId }));
  });
  router.delete('/plugins/:pluginId/instances/:instanceId', async (ctx) => {
    const { instanceId = '' } = ctx.params;
    await operations.removeInstance({ ...keyOf(control, ctx), instanceId });
    ctx.status = 204;
  });
  router.put('/plugins/:pluginId/instances/:instanceId/config', async (ctx) => {
    const { instanceId = '' } = ctx.params;
    const key = keyOf(control, ctx);
    const config = await readJson(ctx, instanceConfigSchema, maxConfigBytes);
    operations.saveConfig({ ...key, instanceId, config });
    ctx.status = 204;
  });
}

/** The access of an installation to the platform's API. */
function addAccessRoutes(router: Router, control: Control): void {
  const { operations } = control;
  router.post('/plugins/:pluginId/revoke', async (ctx) => {
    const key = keyOf(control, ctx);
    const { what } = await readJson(ctx, revokeSchema);
    operations.revoke({ ...key, what });
    ctx.status = 204;
  });
  router.post('/plugins/:pluginId/access-token-event', async (ctx) => {
    await operations.sendAccessTokenEvent(keyOf(control, ctx));
    answer(ctx, 202, { accepted: true });
  });
}

/** The requests in and out of the tenant. */
function addExchangeRoutes(router: Router, control: Control): void {
  const { operations } = control;
  router.get('/exchanges', (ctx) => {
    const { tenantId } = signedIn(control, ctx);
    const filter = readQuery(ctx, exchangeQuerySchema);
    ctx.body = exchangesSchema.parse({ exchanges: operations.exchanges({ tenantId, ...filter }) });
  });
  router.get('/exchanges/:id', (ctx) => {
    const { tenantId } = signedIn(control, ctx);
    const { reveal } = readQuery(ctx, revealQuerySchema);
    const exchanges = operations.exchanges({ tenantId, reveal });
    const found = exchanges.find(({ id }) => String(id) === ctx.params.id);
    if (!found) throw new PlatformError('EXCHANGE_NOT_FOUND', 'No such request is recorded');
    ctx.body = found;
  });
}

/** What goes wrong on purpose, in the tenant. */
function addFaultRoutes(router: Router, control: Control): void {
  const { env, operations } = control;
  const listOf = (tenantId: string) =>
    operations
      .faults()
      .filter(({ fault }) => !('tenantId' in fault) || fault.tenantId === tenantId);
  router.get('/faults', (ctx) => {
    ctx.body = { faults: listOf(signedIn(control, ctx).tenantId) };
  });
  router.post('/faults', async (ctx) => {
    const { tenantId } = signedIn(control, ctx);
    const { name, ...options } = await readJson(ctx, faultSchema);
    const owned = name.startsWith('key.') ? options : { ...options, tenantId };
    const { id } = operations.fault(name, owned as FaultOptions<typeof name>);
    answer(ctx, 201, listOf(tenantId).find((each) => each.id === id) ?? {});
  });
  router.delete('/faults', (ctx) => {
    for (const { id } of listOf(signedIn(control, ctx).tenantId)) env.faults.remove(id);
    ctx.status = 204;
  });
  router.delete('/faults/:id', (ctx) => {
    const { tenantId } = signedIn(control, ctx);
    const found = listOf(tenantId).find(({ id }) => String(id) === ctx.params.id);
    if (!found) throw new PlatformError('FAULT_NOT_FOUND', 'No such fault is on');
    env.faults.remove(found.id);
    ctx.status = 204;
  });
}

/** The signed messages that the page around an iframe sends to it. */
function addPageRoutes(router: Router, control: Control): void {
  const { operations } = control;
  router.post('/init', async (ctx) => {
    const { userId } = signedIn(control, ctx);
    const request = await readJson(ctx, initRequestSchema);
    answer(ctx, 201, { initJwt: await operations.createInitJwt({ userId, ...request }) });
  });
  router.post('/save', async (ctx) => {
    const { userId } = signedIn(control, ctx);
    const { instanceId } = await readJson(ctx, saveRequestSchema);
    answer(ctx, 201, await operations.createSaveJwt({ userId, instanceId }));
  });
}

/** The tenant's lab, the user's notifications, and the stream of changes. */
function addTenantRoutes(router: Router, control: Control): void {
  const { env, operations } = control;
  router.get('/lab', (ctx) => {
    ctx.body = operations.lab(signedIn(control, ctx).tenantId);
  });
  router.patch('/lab', async (ctx) => {
    const { tenantId } = signedIn(control, ctx);
    ctx.body = operations.changeLab(tenantId, await readJson(ctx, labChangeSchema));
  });
  router.get('/notifications', (ctx) => {
    ctx.body = { notifications: operations.notifications(signedIn(control, ctx).userId) };
  });
  router.get('/changes', (ctx) => streamChanges(ctx, env, signedIn(control, ctx)));
}

function signedIn({ operations, sessions }: Control, ctx: Context) {
  const { user, tenant } = operations.findUser(sessions.userId(ctx));
  const { tenantId } = tenant;
  return { user, tenant, tenantId, userId: user.userId, language: user.language };
}

function keyOf(control: Control, ctx: Context & { params: { pluginId?: string } }) {
  const { tenantId, language } = signedIn(control, ctx);
  return { tenantId, language, pluginId: ctx.params.pluginId ?? '' };
}

function viewSession({ user, tenant }: { user: User; tenant: Tenant }): Session {
  const { users, ...ownTenant } = tenant;
  return { user, tenant: ownTenant, colleagues: users };
}

function answer(ctx: Context, status: number, body: object): void {
  ctx.status = status;
  ctx.body = body;
}
