/** Routes of the control API: installations. */
import {
  addInstanceSchema,
  exchangeSchema,
  installationSchema,
  installSchema,
  instanceConfigSchema,
  instanceSchema,
  pluginsSchema,
  revokeSchema,
  sendEventSchema,
  updateOfferSchema,
} from './control-api.ts';
import { type Control, type ControlRoute, route } from './control-route.ts';

const maxConfigBytes = 64 * 1024;

/** Installs, updates and removes plug-ins; their widgets, access and events. */
export function pluginRoutes(control: Control): ControlRoute[] {
  return [...installationRoutes(control), ...instanceRoutes(control), ...accessRoutes(control)];
}

/** Installs, updates and removes plug-ins. */
function installationRoutes({ operations }: Control): ControlRoute[] {
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
      method: 'GET',
      path: '/plugins/:pluginId/update',
      summary: 'What an update would change',
      answer: updateOfferSchema,
      handle: ({ params }, { tenantId, language }) =>
        operations.findUpdate({ tenantId, language, pluginId: pluginIdOf(params) }),
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

function pluginIdOf({ pluginId = '' }: Record<string, string>): string {
  return pluginId;
}
