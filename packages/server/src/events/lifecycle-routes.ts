/** Where the platform posts its events (Spec §4.1): admit, read, verify, apply, answer in JSON. */
import type { IncomingMessage } from 'node:http';
import { StoreError } from '@dowel/installation-store';
import type { EventAnswer, Lifecycle } from '@dowel/lifecycle';
import { PlatformJwtError, type PlatformJwtVerifier, type Sender } from '@dowel/platform-jwt';
import type { LifecycleEventName } from '@dowel/schema';
import type { Context, Next } from 'koa';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ApiError } from '../errors.ts';
import {
  isBrokenOff,
  mediaType,
  parseJson,
  readText,
  unreadableReason,
} from '../http/read-body.ts';
import type { DriftLog } from './drift-log.ts';
import { eventOf } from './event-addresses.ts';
import type { OwnPlugins } from './own-plugins.ts';
import {
  countRefusal,
  findSender,
  isLimited,
  OverloadError,
  type ReceptionGuard,
  recogniseSender,
  whileDeciding,
  whileVerifying,
} from './reception-guard.ts';
import type { RefusalLog } from './refusal-log.ts';

const maxEventBytes = 32_768;

export interface LifecycleRoutesOptions {
  verifier: PlatformJwtVerifier;
  lifecycle: Lifecycle;
  ownPlugins: OwnPlugins;
  guard: ReceptionGuard;
  refusalLog: RefusalLog;
  driftLog: DriftLog;
  logger: Logger;
}

/** A request that was posted to the address of an event. */
interface EventRequest {
  ctx: Context;
  name: LifecycleEventName;
  sender: Sender;
}

/** Handles requests that are posted to the address of an event; passes on all others. */
export function createLifecycleRoutes(deps: LifecycleRoutesOptions) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const name = eventOf(ctx);
    if (name === undefined || ctx.method !== 'POST') return next();
    const sender = findSender(deps.guard, ctx.ip);
    const { status, body, reason, retryAfterSeconds } = await receive(deps, { ctx, name, sender });
    if (status >= 400 && reason !== null) {
      deps.refusalLog.add(ctx, { event: name, reason, status });
    }
    if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds));
    ctx.status = status;
    ctx.body = body;
  };
}

async function receive(deps: LifecycleRoutesOptions, request: EventRequest): Promise<EventAnswer> {
  try {
    return await verifyAndAccept(deps, request);
  } catch (error) {
    return answerFailure(deps, request, error);
  }
}

async function verifyAndAccept(
  { verifier, lifecycle, ownPlugins, guard, driftLog }: LifecycleRoutesOptions,
  { ctx, name, sender }: EventRequest,
): Promise<EventAnswer> {
  const jwt = await readEventJwt(ctx.req);
  const event = await whileVerifying(guard, sender, () =>
    verifier.verifyEvent(jwt, name, { sender }),
  );
  recogniseSender(guard, sender);
  const namedBy = { issuer: event.iss, tenantId: event.tenantId };
  if (!ownPlugins.admits(event.pluginId, namedBy)) return notAccepted('plugin_not_ours');
  driftLog.add(event);
  return whileDeciding(guard, () => lifecycle.accept(event));
}

/** @throws ApiError if the body cannot be read; then the caller answers. */
function answerFailure(
  deps: LifecycleRoutesOptions,
  request: EventRequest,
  error: unknown,
): EventAnswer {
  const { guard, logger } = deps;
  const { sender } = request;
  if (error instanceof OverloadError) return retryLater(error.reason);
  const isRefusal = error instanceof ApiError || error instanceof PlatformJwtError;
  if (isRefusal && isLimited(guard, sender)) return retryLater('rate_limited');
  if (error instanceof ApiError) {
    recordUnreadable(deps, request, error);
    throw error;
  }
  if (!(error instanceof PlatformJwtError)) return afterFault(logger, error);
  if (!error.retryable) countRefusal(guard, sender);
  if (error.retryable) return retryLater(error.reason);
  return notAccepted(error.reason);
}

/** A body that cannot be read costs its sender as much as a forged event. */
function recordUnreadable(
  { guard, refusalLog }: LifecycleRoutesOptions,
  { ctx, name, sender }: EventRequest,
  error: ApiError,
): void {
  refusalLog.add(ctx, { event: name, reason: unreadableReason(error), status: error.status });
  if (!isBrokenOff(error)) countRefusal(guard, sender);
}

/** An error of ours, such as an unavailable database. Nothing was decided. */
function afterFault(logger: Logger, error: unknown): EventAnswer {
  logger.error({ err: error }, 'event.failed');
  return retryLater(faultReason(error));
}

function faultReason(error: unknown): string {
  return (error instanceof StoreError ? error.reason : undefined) ?? 'internal_error';
}

/** One text for every reason, so that a sender learns nothing about our data. */
function notAccepted(reason: string): EventAnswer {
  return { status: 400, body: { code: 401, message: 'The event was not accepted' }, reason };
}

/** Nothing was decided: the same event may come again. */
function retryLater(reason: string): EventAnswer {
  const isLimited = reason === 'rate_limited';
  return {
    status: isLimited ? 429 : 503,
    body: { code: 500, message: 'Try again later' },
    reason,
    retryAfterSeconds: isLimited ? 60 : 10,
  };
}

/** Spec §4.4: the install call has a JSON body. The specification does not show its other members. */
const jsonBodySchema = z.looseObject({ token: z.string() });

/** The platform sends a form. JSON and a bare JWT occur in practice too. */
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
