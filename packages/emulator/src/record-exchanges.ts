/** Records what is asked of the platform, and what it answers, with the faults that are on. */
import { once } from 'node:events';
import type { Context, Next } from 'koa';
import { findAccess, readAccessToken } from './access-token.ts';
import { findClientOf, meetFault, sendTokenAnswer } from './authorization-server/index.ts';
import type { Environment } from './environment.ts';
import type { ExchangeEnd, ExchangeStart } from './exchange-log.ts';
import type { MetFault } from './faults.ts';
import { toAnswerFault } from './meet-request-fault.ts';
import { readParameters, readText } from './request-body.ts';
import type { TenantState } from './tenant-state.ts';

/** A middleware around all that answers plug-ins. Other requests pass. */
export function recordExchanges(env: Environment, states: readonly TenantState[]) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (!/^\/(?:t|certificates)\//.test(ctx.path)) return next();
    // A body that is too large is refused by the handler, which reads it again.
    const body = await readText(ctx).catch(() => '');
    const target = await identify(ctx, states);
    if (!target) return next();
    const { kind, tenantId, pluginId } = target;
    const met = env.faults.take(areaOf(target), target);
    const record = env.exchanges.begin({
      kind,
      tenantId,
      pluginId,
      direction: 'in',
      at: env.now(),
      method: ctx.method,
      url: `${env.origin}${ctx.url}`,
      headers: joinHeaders(ctx.headers),
      body,
      fault: met?.fault.name ?? null,
    });
    const how = await answerWithFault(ctx, next, { env, met, target });
    const isAnswered = how === 'answered';
    const error = how === 'hangs' ? await waitForClient(ctx) : null;
    const answer = isAnswered ? readAnswer(ctx) : { status: null, error, answer: null };
    env.exchanges.end(record, { answeredAt: isAnswered ? env.now() : null, ...answer });
  };
}

const areaOf = ({ kind }: Target) => (kind === 'code' || kind === 'refresh' ? 'token' : kind);

/** `lost`: the client gets half of an answer, or none. */
async function answerWithFault(
  ctx: Context,
  next: Next,
  { env, met, target }: { env: Environment; met: MetFault | undefined; target: Target },
): Promise<'answered' | 'lost' | 'hangs'> {
  if (!met) return next().then(() => 'answered');
  const state = ctx.state as { fault?: MetFault['fault'] };
  state.fault = met.fault;
  const fault = toAnswerFault(env, met, {
    url: `${env.origin}${ctx.url}`,
    tenantId: target.tenantId ?? undefined,
    pluginId: target.pluginId ?? undefined,
  });
  const outcome = await meetFault(fault, async () => {
    await next();
    return { status: ctx.status, body: ctx.body };
  });
  if (typeof outcome === 'string' || outcome.isCutOff) {
    ctx.respond = false;
    sendTokenAnswer(ctx.res, outcome);
    return outcome === 'hangs' ? outcome : 'lost';
  }
  ctx.status = outcome.status;
  ctx.set(outcome.headers ?? {});
  ctx.body = outcome.body;
  return 'answered';
}

/** Resolves when the client waits no longer for the answer. */
async function waitForClient({ res }: Context): Promise<ExchangeEnd['error']> {
  if (!res.destroyed) await once(res, 'close');
  return { code: 'GAVE_UP', message: 'The client closed the connection' };
}

type Target = Pick<ExchangeStart, 'kind' | 'tenantId' | 'pluginId'> & {
  on?: string;
  token?: string | undefined;
};

/** Undefined for a path that is not of the platform's protocol. */
async function identify(ctx: Context, states: readonly TenantState[]): Promise<Target | undefined> {
  if (ctx.path.startsWith('/certificates/')) return { kind: 'key', tenantId: null, pluginId: null };
  const [, slug, rest = ''] = /^\/t\/([^/]+)\/api\/(.*)$/.exec(ctx.path) ?? [];
  if (slug === undefined) return undefined;
  const state = states.find((each) => each.slug === slug);
  const tenantId = state?.tenant.tenantId ?? null;
  if (rest === 'oauth/token') {
    const query = new URLSearchParams(ctx.querystring);
    const parameters = await readParameters(ctx).catch(() => query);
    const isRefresh = parameters.get('grant_type') === 'refresh_token';
    const client = state && findClientOf(state.authorizationServer, ctx.get('authorization'));
    const kind = isRefresh ? 'refresh' : 'code';
    return { kind, tenantId, pluginId: client?.pluginId ?? null, on: kind };
  }
  const [, named, isTrigger] = /^plugins\/([^/]+)\/(access_token\/)?/.exec(rest) ?? [];
  const pluginId = named ?? (state && findAccess(ctx, state)?.pluginId) ?? null;
  const token = readAccessToken(ctx);
  return { kind: isTrigger ? 'trigger' : 'api', tenantId, pluginId, token };
}

function readAnswer({ status, body, response }: Context): Omit<ExchangeEnd, 'answeredAt'> {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
  return {
    status,
    error: status < 400 ? null : readError(body),
    answer: { headers: joinHeaders(response.headers), body: text },
  };
}

/** From the body of an API's error, or of a token endpoint's. */
function readError(body: unknown): ExchangeEnd['error'] {
  const { code, message, error, error_description: description } = Object(body);
  return { code: String(code ?? error ?? ''), message: String(message ?? description ?? '') };
}

function joinHeaders(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}
