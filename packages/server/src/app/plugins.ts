/** Reads and checks the plug-ins that one server serves. */

import { createEventPaths } from '../events/event-addresses.ts';
import { collectRoutes, type OwnRoutes } from '../http/own-routes.ts';
import type { Log } from '../log/log.ts';
import { optionPrefixOf, prefixOf, type ServedPlugin } from '../served-plugin.ts';
import type { PluginOptions, ServerOptions } from '../server-options.ts';
import { ConfigError } from '../settings/config-error.ts';
import type { Configuration } from '../settings/read-configuration.ts';
import { assertBuilt } from './assert-built.ts';
import { assertRequested, readManifest } from './read-manifest.ts';

/** A plug-in whose options are checked. */
export interface PluginDefinition {
  /** '' if there is only one plug-in. */
  name: string;
  options: PluginOptions;
  ownRoutes: OwnRoutes;
}

const plainName = /^[a-z][a-z0-9-]{0,31}$/;
/** Names that are paths of the server itself. */
const takenNames = ['admin', 'api', 'plugin', 'livez', 'readyz'];

/** @throws TypeError for an invalid name, route or operation. Does no I/O. */
export function definePlugins(options: ServerOptions): PluginDefinition[] {
  if (!('plugins' in options)) return [definePlugin('', options)];
  const entries = Object.entries(options.plugins);
  if (entries.length === 0) throw new TypeError('plugins: name at least one plug-in');
  return entries.map(([name, plugin]) => {
    if (!plainName.test(name) || takenNames.includes(name)) {
      throw new TypeError(
        `plugins: ${JSON.stringify(name)} needs another name: a small letter, then small letters, digits and hyphens, at most 32, and not ${takenNames.join(', ')}`,
      );
    }
    return definePlugin(name, plugin);
  });
}

function definePlugin(name: string, options: PluginOptions): PluginDefinition {
  return {
    name,
    options,
    ownRoutes: collectRoutes(options, Object.keys(options.operations ?? {})),
  };
}

/** @throws ConfigError for a manifest or a page that cannot be served, and for addresses that clash. */
export async function readPlugins(
  definitions: readonly PluginDefinition[],
  configuration: Configuration,
  log: Pick<Log, 'warn'>,
): Promise<ServedPlugin[]> {
  const { publicUrl: baseUrl, eventPath, essentialScopes } = configuration;
  if (eventPath !== undefined && definitions.length > 1) {
    throw new ConfigError(
      'DOWEL_EVENT_PATH, or the option eventPath, cannot be set for several plug-ins: each has its own addresses.',
    );
  }
  const plugins = await Promise.all(
    definitions.map(async ({ name, options, ownRoutes }) => {
      const { manifest: source = configuration.manifest, operations, hooks, config } = options;
      const frontend = configuration.pagesAt === 'here' ? options.frontend : undefined;
      const publicUrl = `${baseUrl}${prefixOf({ name })}`;
      const read = await readManifest({ source, publicUrl, baseUrl, eventPath }, log);
      if (frontend)
        await assertBuilt(`${optionPrefixOf(name)}frontend.directory`, frontend.directory);
      return { name, ...read, frontend, operations, hooks, ownRoutes, config };
    }),
  );
  assertRequested(
    plugins.map(({ manifest }) => manifest),
    essentialScopes,
  );
  assertDistinct(plugins, configuration);
  return plugins;
}

/** An event's address belongs to one plug-in, and to no route. */
function assertDistinct(plugins: readonly ServedPlugin[], configuration: Configuration): void {
  const { eventPath, basePath } = configuration;
  const owners = new Map<string, string>();
  for (const plugin of plugins) {
    for (const path of listRoutePaths(plugin)) owners.set(path, 'a route of the server');
  }
  for (const { name, addresses } of plugins) {
    for (const path of createEventPaths(addresses, { eventPath, basePath }).list()) {
      const owner = owners.get(path) ?? name;
      if (owner !== name) {
        throw new ConfigError(
          `The manifest${name && ` of ${name}`} puts an event at ${basePath}${path}, which belongs to ${owner}. Change lifecycle.url or apiAccess.url.`,
        );
      }
      owners.set(path, name);
    }
  }
}

function listRoutePaths(plugin: ServedPlugin): string[] {
  const prefix = prefixOf(plugin);
  const { ofUsers, ofAll } = plugin.ownRoutes;
  return [
    `${prefix}/api/session`,
    ...Object.keys(plugin.operations ?? {}).map((name) => `${prefix}/api/${name}`),
    ...ofUsers.map(({ path }) => `${prefix}/api${path}`),
    ...ofAll.map(({ path }) => `${prefix}${path}`),
  ];
}
