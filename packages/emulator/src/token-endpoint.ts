/** `POST /t/:slug/api/oauth/token` (Spec §4.2): parameters in the query or in a form body. */
import type { Context } from 'koa';
import { answerTokenRequest } from './authorization-server/index.ts';
import type { Environment } from './environment.ts';
import { readParameters } from './request-body.ts';
import type { TenantState } from './tenant-state.ts';

export async function serveTokenRequest(
  ctx: Context,
  env: Environment,
  state: TenantState,
): Promise<void> {
  const request = {
    parameters: await readParameters(ctx),
    authorization: ctx.get('authorization'),
  };
  const answer = answerTokenRequest(state.authorizationServer, request, state.terms());
  ctx.set(answer.headers);
  ctx.status = answer.status;
  ctx.body = answer.body;
  env.changes.publishPlugins(state.tenant.tenantId);
}
