/**
 * The settings in effect, and the versions. Operators and owners only: hosts, paths and limits help somebody who wants
 * to get around them, and a viewer may be a program or a screen on a wall.
 */
import { type Setting, type Settings, settingsSchema } from '@dowel/admin-api';
import type { Store } from '@dowel/installation-store';
import { readOwnVersion } from '../base/own-version.ts';
import { prefixOf, type ServedPlugin } from '../served-plugin.ts';
import { type AdminRoute, route } from './admin-route.ts';
import { describeProcess } from './own-process.ts';

export interface SettingsRoutesContext {
  store: Pick<Store, 'describeDatabase'>;
  plugins: readonly ServedPlugin[];
  describeSettings: () => Setting[];
  isProduction: boolean;
  /** Without a trailing slash; may have a path. */
  publicUrl: string;
  now: () => number;
}

export function listSettingsRoutes(context: SettingsRoutesContext): AdminRoute[] {
  const dowel = readOwnVersion();
  return [
    route('GET /settings', {
      role: 'operator',
      summary: 'Settings in effect, and versions',
      answer: settingsSchema,
      handle: () => showSettings(context, dowel),
    }),
  ];
}

async function showSettings(
  { store, plugins, describeSettings, isProduction, publicUrl, now }: SettingsRoutesContext,
  dowel: string,
): Promise<Settings> {
  return {
    now: now(),
    settings: describeSettings(),
    versions: {
      dowel,
      node: process.version,
      system: `${process.platform} ${process.arch}`,
      database: await store.describeDatabase(),
      plugins: plugins.map((plugin) => ({
        name: plugin.manifest.name.en ?? Object.values(plugin.manifest.name)[0] ?? plugin.name,
        version: plugin.manifest.pluginVersion,
        reference: `${publicUrl}${prefixOf(plugin)}/openapi.html`,
      })),
    },
    isProduction,
    process: describeProcess(),
  };
}
