/**
 * The settings in effect, and the versions. Operators and owners only: hosts, paths and limits help somebody who wants
 * to get around them, and a viewer may be a program (docs/decisions/0047).
 */
import { readFileSync } from 'node:fs';
import type { Store } from '@dowel/installation-store';
import type { Setting, Settings } from '@dowel/schema';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { prefixOf, type ServedPlugin } from '../served-plugin.ts';
import { requireRole } from './operator.ts';
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

/** Register it where a request has an operator. */
export function addSettingsRoutes(router: Router, context: SettingsRoutesContext): void {
  const dowel = readOwnVersion();
  router.get('/settings', (ctx) => showSettings(context, ctx, dowel));
}

async function showSettings(
  { store, plugins, describeSettings, isProduction, publicUrl, now }: SettingsRoutesContext,
  ctx: Context,
  dowel: string,
): Promise<void> {
  requireRole(ctx, 'operator');
  const answer: Settings = {
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
  ctx.body = answer;
}

/** The version of this package; '' in a bundle, which has no such file there, or another program's. */
export function readOwnVersion(file = new URL('../../package.json', import.meta.url)): string {
  try {
    const text = readFileSync(file, 'utf8');
    const { name, version } = JSON.parse(text) as { name: string; version: string };
    return name === '@dowel/server' ? version : '';
  } catch {
    return '';
  }
}
