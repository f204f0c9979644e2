/** One plug-in that a server serves, with its own manifest, addresses and routes. */
import type { ServedManifest } from '@dowel/schema';
import type { z } from 'zod';
import type { EventAddress } from './events/event-addresses.ts';
import type { Hooks } from './hooks/hooks.ts';
import type { OwnRoutes } from './http/own-routes.ts';
import type { OperationTable } from './operations/operation.ts';

export interface ServedPlugin {
  /** Stored with each installation. '' if there is only one plug-in. */
  name: string;
  manifest: ServedManifest;
  /** The manifest as it is served. */
  manifestText: string;
  addresses: readonly EventAddress[];
  /** The built pages of the plug-in, sandboxed by default. Undefined: they are served elsewhere. */
  frontend?: { directory: string; sandbox?: boolean | undefined } | undefined;
  /** The operations that its pages may call. Default: none. */
  operations?: OperationTable | undefined;
  /** Called when something has happened to its installations. Default: none. */
  hooks?: Hooks | undefined;
  ownRoutes: OwnRoutes;
  /** Reads the settings of its widgets. Default: any are taken. */
  config?: z.ZodType | undefined;
}

/** The path below the base path: '' or `/polls`. */
export function prefixOf({ name }: Pick<ServedPlugin, 'name'>): string {
  return name === '' ? '' : `/${name}`;
}

/** Prefix of a plug-in's options in messages: '' or `plugins.polls.`. */
export function optionPrefixOf(name: string): string {
  return name === '' ? '' : `plugins.${name}.`;
}

/** The display name of the plug-in; several names are joined. */
export function namePlugins(plugins: readonly Pick<ServedPlugin, 'manifest'>[]): string {
  return plugins
    .map(({ manifest: { name } }) => name.en ?? Object.values(name)[0] ?? 'Plug-in')
    .join(', ');
}
