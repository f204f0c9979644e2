/** Where the platform posts its events (Spec §4.1): read, verify, apply, answer in JSON. */
import type { IncomingMessage } from 'node:http';
import type { Lifecycle } from '@dowel/lifecycle';
import { PlatformJwtError, type PlatformJwtVerifier } from '@dowel/platform-jwt';
import { type LifecycleEventName, lifecycleEventNames } from '@dowel/schema';
import Router from '@koa/router';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ApiError } from './api-error.ts';
import { mediaType, parseJson, readText } from './read-body.ts';

const maxEventBytes = 32_768;
const retryAfterSeconds = 10;

export interface LifecycleRoutesOptions {
  verifier: PlatformJwtVerifier;
  lifecycle: Lifecycle;
  logger: Logger;
}

export function createLifecycleRoutes({ verifier, lifecycle, logger }: LifecycleRoutesOptions) {
  const router = new Router({ prefix: '/lifecycle' });

  async function receive(request: IncomingMessage, name: LifecycleEventName) {
    try {
      const event = await verifier.verifyEvent(await readEventJwt(request), name);
      return await lifecycle.accept(event);
    } catch (error) {
      if (!(error instanceof PlatformJwtError)) throw error;
      return error.retryable
        ? {
            status: 503,
            body: { code: 500, message: 'Try again later' },
            reason: error.reason,
            retryAfterSeconds,
          }
        : {
            status: 400,
            body: { code: 401, message: 'The event was not accepted' },
            reason: error.reason,
          };
    }
  }

  for (const name of lifecycleEventNames) {
    router.post(`/${name}`, async (ctx) => {
      const answer = await receive(ctx.req, name);
      if (answer.reason !== null) {
        logger.warn({ event: name, reason: answer.reason, status: answer.status }, 'event.refused');
      }
      if (answer.retryAfterSeconds !== undefined) {
        ctx.set('Retry-After', String(answer.retryAfterSeconds));
      }
      ctx.status = answer.status;
      ctx.body = answer.body;
    });
  }
  return router;
}

const jsonBodySchema = z.strictObject({ token: z.string() });

/** The platform sends a form; JSON and a bare JWT are seen in the field too. */
async function readEventJwt(request: IncomingMessage): Promise<string> {
  const type = mediaType(request);
  const text = await readText(request, maxEventBytes);
  if (type === 'application/jwt') return text.trim();
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
