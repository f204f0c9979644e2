/** Serves the description of a plug-in's operations, for tools and people. It contains no secret. */
import Router from '@koa/router';
import { describeOperations, type OpenApiOptions } from '../operations/openapi.ts';
import { referencePolicy, renderReference } from '../operations/reference-page.ts';
import { allowAnyOrigin } from '../request/cross-origin.ts';
import type { ServedPlugin } from '../served-plugin.ts';

export interface OpenApiRoutesContext extends Pick<OpenApiOptions, 'operations'> {
  plugin: ServedPlugin;
  publicUrl: string;
  /** '' or `/polls`. */
  prefix: string;
}

/** Creates the routes of the OpenAPI document and of its page. */
export function createOpenApiRoutes(context: OpenApiRoutesContext) {
  const { plugin, publicUrl, prefix, operations } = context;
  const url = `${publicUrl.replace(/\/$/, '')}${prefix}`;
  const { manifest } = plugin;
  const document = describeOperations({ manifest, url, operations });
  const text = JSON.stringify(document);
  const page = renderReference(document);
  const router = new Router({ prefix, strict: true, sensitive: true });
  router.get('/openapi.json', allowAnyOrigin, (ctx) => {
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'json';
    ctx.body = text;
  });
  router.get('/openapi.html', (ctx) => {
    ctx.set('Content-Security-Policy', referencePolicy);
    ctx.type = 'html';
    ctx.body = page;
  });
  return router;
}
