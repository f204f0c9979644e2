/** The description of a plug-in's operations, for tools and for people. It has no secret. */
import Router from '@koa/router';
import { describeOperations, type OpenApiOptions } from '../operations/openapi.ts';
import type { ServedPlugin } from '../plugins.ts';
import { allowAnyOrigin } from '../request/cross-origin.ts';

export interface OpenApiRoutesContext extends Pick<OpenApiOptions, 'operations'> {
  plugin: ServedPlugin;
  publicUrl: string;
  /** '' or `/polls`. */
  prefix: string;
}

export function createOpenApiRoutes(context: OpenApiRoutesContext) {
  const { plugin, publicUrl, prefix, operations } = context;
  const url = `${publicUrl.replace(/\/$/, '')}${prefix}`;
  const { manifest } = plugin;
  const text = JSON.stringify(describeOperations({ manifest, url, operations }));
  const router = new Router({ prefix, strict: true, sensitive: true });
  router.get('/openapi.json', allowAnyOrigin, (ctx) => {
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'json';
    ctx.body = text;
  });
  return router;
}
