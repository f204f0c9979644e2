/** Where the platform posts its events (Spec §4.1): admit, read, verify, apply, answer in JSON. */
import type { IncomingMessage } from 'node:http';
import type { EventAnswer, Lifecycle } from '@dowel/lifecycle';
import { PlatformJwtError, type PlatformJwtVerifier } from '@dowel/platform-jwt';
import { type LifecycleEventName, lifecycleEventNames } from '@dowel/schema';
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ApiError } from './api-error.ts';
import type { DriftLog } from './drift-log.ts';
import { mediaType, parseJson, readText } from './read-body.ts';
import type { ReceptionGuard } from './reception-guard.ts';
import type { RefusalLog } from './refusal-log.ts';

const maxEventBytes = 32_768;

export interface LifecycleRoutesOptions {
  verifier: PlatformJwtVerifier;
  lifecycle: Lifecycle;
  guard: ReceptionGuard;
  refusalLog: RefusalLog;
  driftLog: DriftLog;
  logger: Logger;
}

export function createLifecycleRoutes(options: LifecycleRoutesOptions) {
  const { verifier, lifecycle, guard, refusalLog, driftLog, logger } = options;
  const router = new Router({ prefix: '/lifecycle' });

  async function receive(ctx: Context, name: LifecycleEventName): Promise<EventAnswer> {
    const turnedAway = await guard.turnAway(ctx.ip);
    if (turnedAway) return comeAgain(turnedAway);
    try {
      const jwt = await readEventJwt(ctx.req);
      const event = await guard.verify(() => verifier.verifyEvent(jwt, name));
      if (!event) return comeAgain('overloaded');
      driftLog.add(event);
      return await lifecycle.accept(event);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (!(error instanceof PlatformJwtError)) return afterFault(error);
      await guard.countRefusal(ctx.ip, error.retryable);
      if (error.retryable) return comeAgain(error.reason);
      return {
        status: 400,
        body: { code: 401, message: 'The event was not accepted' },
        reason: error.reason,
      };
    }
  }

  /** Our own fault, such as a database that is down: nothing was decided. */
  function afterFault(error: unknown): EventAnswer {
    logger.error({ err: error }, 'event.failed');
    return comeAgain('internal_error');
  }

  for (const name of lifecycleEventNames) {
    router.post(`/${name}`, async (ctx) => {
      const { status, body, reason, retryAfterSeconds } = await receive(ctx, name);
      if (status >= 400 && reason !== null) {
        refusalLog.add({ event: name, reason, status, requestId: ctx.state.requestId as string });
      }
      if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds));
      ctx.status = status;
      ctx.body = body;
    });
  }
  return router;
}

/** Nothing was decided: the same event may come again. */
function comeAgain(reason: string): EventAnswer {
  const isLimited = reason === 'rate_limited';
  return {
    status: isLimited ? 429 : 503,
    body: { code: 500, message: 'Try again later' },
    reason,
    retryAfterSeconds: isLimited ? 60 : 10,
  };
}

const jsonBodySchema = z.strictObject({ token: z.string() });

/** The platform sends a form; JSON and a bare JWT are seen in the field too. */
async function readEventJwt(request: IncomingMessage): Promise<string> {
  const type = mediaType(request);
  const text = await readText(request, maxEventBytes);
  if (type === 'application/jwt') return text;
  if (type === 'application/json') {
    const parsed = jsonBodySchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data.token;
    throw new PlatformJwtError('bad_token_format');
  }
  if (type === 'application/x-www-form-urlencoded') {
    const [token, ...others] = new URLSearchParams(text).getAll('token');
    if (token !== undefined && others.length === 0) return token;
    throw new PlatformJwtError('bad_token_format');
  }
  throw new ApiError(
    'BAD_MEDIA_TYPE',
    'Send the token as application/x-www-form-urlencoded, application/json or application/jwt',
  );
}
