/** The control API of control-api.ts over HTTP: a table of routes that call the operations. */
import Router from '@koa/router';
import {
  activeFaultSchema,
  activeFaultsSchema,
  addInstanceSchema,
  exchangeQuerySchema,
  exchangeSchema,
  exchangesSchema,
  type FaultOptions,
  faultSchema,
  initAnswerSchema,
  initRequestSchema,
  installationSchema,
  installSchema,
  instanceConfigSchema,
  instanceSchema,
  labChangeSchema,
  labSchema,
  notificationsSchema,
  pluginsSchema,
  resendSchema,
  revealQuerySchema,
  revokeSchema,
  type Session,
  saveAnswerSchema,
  saveRequestSchema,
  sendEventSchema,
  sessionSchema,
  signInLinkSchema,
  signInSchema,
  type Tenant,
  tenantsSchema,
  type User,
} from './control-api.ts';
import { addRoutes, type ControlRoute, openRoute, route, type Visitor } from './control-route.ts';
import { type ControlSessions, refuseForeignOrigins } from './control-session.ts';
import { describeControlApi } from './describe-control-api.ts';
import type { Environment } from './environment.ts';
import { PlatformError } from './errors.ts';
import type { Operations } from './operations.ts';
import { streamChanges } from './stream-changes.ts';

const maxConfigBytes = 64 * 1024;

interface Control {
  env: Environment;
  operations: Operations;
  sessions: ControlSessions;
}

/** Creates the routes below `/control`. */
export function createControlRoutes(control: Control): Router {
  const { env, operations, sessions } = control;
  const router = new Router({ prefix: '/control' });
  router.use(refuseForeignOrigins(env.origin), (ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    return next();
  });
  const routes = [
    ...sessionRoutes(control),
    ...pluginRoutes(control),
    ...instanceRoutes(control),
    ...accessRoutes(control),
    ...exchangeRoutes(control),
    ...faultRoutes(control),
    ...pageRoutes(control),
    ...tenantRoutes(control),
  ];
  addRoutes(router, routes, (ctx) => visitorOf(operations, sessions.userId(ctx)));
  const { origin } = env;
  const document = describeControlApi(routes, { origin, cookieName: sessions.cookieName });
  router.get('/openapi.json', (ctx) => {
    ctx.body = document;
  });
  return router;
}

/** The users, sign-in and sign-out. */
function sessionRoutes({ env, operations, sessions }: Control): ControlRoute[] {
  return [
    openRoute({
      method: 'GET',
      path: '/tenants',
      summary: 'Everybody who can sign in',
      answer: tenantsSchema,
      handle: () => ({ tenants: [...operations.tenants] }),
    }),
    openRoute({
      method: 'GET',
      path: '/session',
      summary: 'Who is signed in; 204 when nobody is',
      answer: sessionSchema,
      // No 401: a browser would show the first look of its pages as an error.
      handle({ ctx }) {
        if (!sessions.isSignedIn(ctx)) return undefined;
        return viewSession(visitorOf(operations, sessions.userId(ctx)));
      },
    }),
    openRoute({
      method: 'POST',
      path: '/session',
      summary: 'Sign in; the answer sets a cookie',
      body: signInSchema,
      answer: sessionSchema,
      status: 201,
      handle({ ctx, body: { userId } }) {
        const session = viewSession(operations.findUser(userId));
        sessions.start(ctx, userId);
        return session;
      },
    }),
    openRoute({
      method: 'DELETE',
      path: '/session',
      summary: 'Sign out',
      handle: ({ ctx }) => sessions.end(ctx),
    }),
    openRoute({
      method: 'GET',
      path: '/sign-in',
      summary: 'The link of `signInUrl`: signs in once, and leads to a page',
      query: signInLinkSchema,
      handle({ ctx, query: { token, path } }) {
        // A HEAD request only looks at the link.
        if (ctx.method === 'GET') sessions.redeem(ctx, token);
        const target = URL.parse(path, env.origin);
        ctx.status = 303;
        ctx.redirect(target?.origin === env.origin ? target.href : env.origin);
      },
    }),
  ];
}

/** Installs, updates and removes plug-ins. */
function pluginRoutes({ operations }: Control): ControlRoute[] {
  return [
    route({
      method: 'GET',
      path: '/plugins',
      summary: 'The installed plug-ins',
      answer: pluginsSchema,
      handle: (_, { tenantId, language }) => operations.plugins(tenantId, language),
    }),
    route({
      method: 'POST',
      path: '/plugins',
      summary: 'Install a plug-in; 422 when its back end refuses',
      body: installSchema,
      answer: installationSchema,
      status: 201,
      handle: ({ body: { manifestUrl, pluginId } }, { tenantId, language }) =>
        operations.install({ tenantId, language, manifestUrl, ...(pluginId && { pluginId }) }),
    }),
    route({
      method: 'POST',
      path: '/plugins/:pluginId/update',
      summary: 'Read the manifest again; 422 when the back end refuses',
      answer: installationSchema,
      handle: ({ params }, { tenantId, language }) =>
        operations.update({ tenantId, language, pluginId: pluginIdOf(params) }),
    }),
    route({
      method: 'DELETE',
      path: '/plugins/:pluginId',
      summary: 'Uninstall a plug-in',
      handle: ({ params }, { tenantId }) =>
        operations.uninstall({ tenantId, pluginId: pluginIdOf(params) }),
    }),
  ];
}

/** Widgets on the tenant's page, and their configuration. */
function instanceRoutes({ operations }: Control): ControlRoute[] {
  return [
    route({
      method: 'POST',
      path: '/plugins/:pluginId/instances',
      summary: 'Place a widget',
      body: addInstanceSchema,
      answer: instanceSchema,
      status: 201,
      handle: ({ params, body: { entryPointId } }, { tenantId, language }) =>
        operations.addInstance({ tenantId, language, entryPointId, pluginId: pluginIdOf(params) }),
    }),
    route({
      method: 'DELETE',
      path: '/plugins/:pluginId/instances/:instanceId',
      summary: 'Remove a widget',
      handle: ({ params: { instanceId = '', ...params } }, { tenantId }) =>
        operations.removeInstance({ tenantId, instanceId, pluginId: pluginIdOf(params) }),
    }),
    route({
      method: 'PUT',
      path: '/plugins/:pluginId/instances/:instanceId/config',
      summary: 'Store what a configuration page answered',
      body: instanceConfigSchema,
      maxBytes: maxConfigBytes,
      handle: ({ params: { instanceId = '', ...params }, body: config }, { tenantId }) =>
        operations.saveConfig({ tenantId, instanceId, config, pluginId: pluginIdOf(params) }),
    }),
  ];
}

/** The access of an installation to the platform's API, and its events. */
function accessRoutes({ operations }: Control): ControlRoute[] {
  return [
    route({
      method: 'POST',
      path: '/plugins/:pluginId/revoke',
      summary: 'Revoke all tokens of a kind',
      body: revokeSchema,
      handle: ({ params, body: { what } }, { tenantId }) =>
        operations.revoke({ tenantId, what, pluginId: pluginIdOf(params) }),
    }),
    route({
      method: 'POST',
      path: '/plugins/:pluginId/events',
      summary: 'Send an event, as the platform does or changed',
      body: sendEventSchema,
      answer: exchangeSchema,
      status: 201,
      async handle({ params, body: { event, instanceId, ...change } }, { tenantId }) {
        const key = { tenantId, instanceId, pluginId: pluginIdOf(params) };
        const prepared = await operations.prepareEvent(key, event);
        return prepared.send(Object.keys(change).length > 0 ? change : undefined);
      },
    }),
  ];
}

/** The requests in and out of the tenant. */
function exchangeRoutes({ operations }: Control): ControlRoute[] {
  return [
    route({
      method: 'GET',
      path: '/exchanges',
      summary: 'Every request in and out, oldest first, without bodies',
      query: exchangeQuerySchema,
      answer: exchangesSchema,
      handle: ({ query }, { tenantId }) => ({
        exchanges: operations
          .exchanges(query)
          .filter((each) => each.kind === 'key' || each.tenantId === tenantId),
      }),
    }),
    route({
      method: 'GET',
      path: '/exchanges/:id',
      summary: 'A request with headers, bodies and answer',
      query: revealQuerySchema,
      answer: exchangeSchema,
      handle({ params, query }, { tenantId }) {
        const exchanges = operations.exchanges({ tenantId, ...query });
        const found = exchanges.find(({ id }) => String(id) === params.id);
        if (found) return found;
        throw new PlatformError('EXCHANGE_NOT_FOUND', 'No such request is recorded');
      },
    }),
    route({
      method: 'POST',
      path: '/exchanges/:id/resend',
      summary: 'Send an event again, as it was or signed again',
      body: resendSchema,
      answer: exchangeSchema,
      status: 201,
      handle: ({ params, body }, { tenantId }) =>
        operations.resendEvent({ tenantId, id: Number(params.id), ...body }),
    }),
  ];
}

/** What goes wrong on purpose, in the tenant. */
function faultRoutes({ env, operations }: Control): ControlRoute[] {
  const listOf = (tenantId: string) =>
    operations
      .faults()
      .filter(({ fault }) => !('tenantId' in fault) || fault.tenantId === tenantId);
  return [
    route({
      method: 'GET',
      path: '/faults',
      summary: 'The faults that are on',
      answer: activeFaultsSchema,
      handle: (_, { tenantId }) => ({ faults: listOf(tenantId) }),
    }),
    route({
      method: 'POST',
      path: '/faults',
      summary: 'Let the next requests meet a fault',
      body: faultSchema,
      answer: activeFaultSchema,
      status: 201,
      handle({ body: { name, ...options } }, { tenantId }) {
        const owned = name.startsWith('key.') ? options : { ...options, tenantId };
        const { id } = operations.fault(name, owned as FaultOptions<typeof name>);
        return listOf(tenantId).find((each) => each.id === id);
      },
    }),
    route({
      method: 'DELETE',
      path: '/faults',
      summary: 'End all faults',
      handle(_, { tenantId }) {
        for (const { id } of listOf(tenantId)) env.faults.remove(id);
      },
    }),
    route({
      method: 'DELETE',
      path: '/faults/:id',
      summary: 'End a fault',
      handle({ params }, { tenantId }) {
        const found = listOf(tenantId).find(({ id }) => String(id) === params.id);
        if (!found) throw new PlatformError('FAULT_NOT_FOUND', 'No such fault is on');
        env.faults.remove(found.id);
      },
    }),
  ];
}

/** The signed messages that the page around an iframe sends to it. */
function pageRoutes({ operations }: Control): ControlRoute[] {
  return [
    route({
      method: 'POST',
      path: '/init',
      summary: 'The signed answer to the init message of an iframe',
      body: initRequestSchema,
      answer: initAnswerSchema,
      status: 201,
      handle: async ({ body }, { userId }) => ({
        initJwt: await operations.createInitJwt({ userId, ...body }),
      }),
    }),
    route({
      method: 'POST',
      path: '/save',
      summary: 'The signed request to a configuration page',
      body: saveRequestSchema,
      answer: saveAnswerSchema,
      status: 201,
      handle: ({ body: { instanceId } }, { userId }) =>
        operations.createSaveJwt({ userId, instanceId }),
    }),
  ];
}

/** The tenant's lab, the user's notifications, and the stream of changes. */
function tenantRoutes({ env, operations }: Control): ControlRoute[] {
  return [
    route({
      method: 'GET',
      path: '/lab',
      summary: 'How the authorization server behaves',
      answer: labSchema,
      handle: (_, { tenantId }) => operations.lab(tenantId),
    }),
    route({
      method: 'PATCH',
      path: '/lab',
      summary: 'Change how the authorization server behaves',
      body: labChangeSchema,
      answer: labSchema,
      handle: ({ body }, { tenantId }) => operations.changeLab(tenantId, body),
    }),
    route({
      method: 'GET',
      path: '/notifications',
      summary: 'The notifications of the user, newest first',
      answer: notificationsSchema,
      handle: (_, { userId }) => ({ notifications: operations.notifications(userId) }),
    }),
    route({
      method: 'GET',
      path: '/changes',
      summary: 'Server-sent events that name what to load again',
      handle: ({ ctx }, visitor) => streamChanges(ctx, env, visitor),
    }),
  ];
}

/** @throws PlatformError `USER_NOT_FOUND` */
function visitorOf(operations: Operations, userId: string): Visitor {
  const { user, tenant } = operations.findUser(userId);
  return { user, tenant, tenantId: tenant.tenantId, userId, language: user.language };
}

function pluginIdOf({ pluginId = '' }: Record<string, string>): string {
  return pluginId;
}

function viewSession({ user, tenant }: { user: User; tenant: Tenant }): Session {
  const { users, ...ownTenant } = tenant;
  return { user, tenant: ownTenant, colleagues: users };
}
