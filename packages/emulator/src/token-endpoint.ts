/** `POST /t/:slug/api/oauth/token` (Spec §4.2): parameters in the query or in a form body. */
import type { Context } from 'koa';
import { answerTokenRequest } from './authorization-server/index.ts';
import type { Environment } from './environment.ts';
import { readText } from './request-body.ts';
import type { TenantState } from './tenant-state.ts';

export async function serveTokenRequest(
  ctx: Context,
  env: Environment,
  state: TenantState,
): Promise<void> {
  const { authorizationServer, tokenRequests, tenant } = state;
  const request = {
    parameters: await readParameters(ctx),
    authorization: ctx.get('authorization'),
  };
  const answer = answerTokenRequest(authorizationServer, request, state.terms());
  const { status, headers, body, presentation } = answer;
  ctx.set(headers);
  ctx.status = status;
  ctx.body = body;
  const { pluginId, grantType, error } = presentation;
  tokenRequests.add({ pluginId, grantType, at: env.now(), status, error });
  env.changes.publishPlugins(tenant.tenantId);
}

async function readParameters(ctx: Context): Promise<URLSearchParams> {
  const parameters = new URLSearchParams(ctx.querystring);
  const form = ctx.is('application/x-www-form-urlencoded') ? await readText(ctx) : '';
  for (const [name, value] of new URLSearchParams(form)) parameters.append(name, value);
  return parameters;
}
