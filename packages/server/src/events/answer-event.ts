/** Answers what is posted to the address of an event (Spec §4.1): read, verify, apply, answer in JSON. */
import { type Store, StoreError } from '@dowel/installation-store';
import {
  adviseApiOrigin,
  type EventAnswer,
  type Lifecycle,
  resolveAddresses,
  retryLater,
} from '@dowel/lifecycle';
import {
  PlatformJwtError,
  type PlatformJwtVerifier,
  type RefusalExplanation,
  readClaimedHost,
  type Sender,
} from '@dowel/platform-jwt';
import {
  type ApiOriginRule,
  type LifecycleEvent,
  type LifecycleEventName,
  lifecycleEventSchemas,
  type Reason,
  type Respelling,
} from '@dowel/schema';
import { z } from 'zod';
import { ApiError, bodyForPlatform } from '../base/errors.ts';
import { outliveOutage } from '../base/outlive-outage.ts';
import { type ShapeTally, tallyJwt } from '../base/shape-tally.ts';
import type { Log } from '../log/log.ts';
import type { Observe } from '../observation.ts';
import {
  isBrokenOff,
  mediaType,
  parseJson,
  readText,
  unreadableReason,
} from '../request/read-body.ts';
import { describeSender, parseSenderAddress } from '../request/sender-address.ts';
import type { ServerAnswer, ServerRequest } from '../request/server-request.ts';
import { type DeliveryTally, tallyDelivery } from './delivery-tally.ts';
import { describeJwt } from './describe-jwt.ts';
import type { DriftLog } from './drift-log.ts';
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
import type { RefusalLog, Stranger } from './refusal-log.ts';

const maxEventBytes = 32_768;
/** For what may pass by itself. */
const retryAfterSeconds = 10;

export interface EventContext {
  store: Pick<Store, 'isAway'>;
  verifier: PlatformJwtVerifier;
  /** Where the APIs of an issuer's tenants may be, besides at the issuer's origin. */
  apiOrigins: readonly ApiOriginRule[];
  lifecycle: Lifecycle;
  ownPlugins: OwnPlugins;
  guard: ReceptionGuard;
  refusalLog: RefusalLog;
  deliveries: DeliveryTally;
  driftLog: DriftLog;
  shapes: ShapeTally;
  /** Gets failures that the event did not cause, and tenants with two addresses. */
  logger: Pick<Log, 'error' | 'warn'>;
  observe: Observe;
  /** Epoch milliseconds. */
  now: () => number;
  /** The plug-in whose URL was called. */
  plugin: { name: string };
}

/** A request that was posted to the address of an event. */
interface PostedEvent {
  request: ServerRequest;
  name: LifecycleEventName;
  sender: Sender;
  /** When it arrived, epoch milliseconds, and by `performance.now()`. */
  at: number;
  startedAt: number;
  /** '' until it is read. */
  jwt: string;
  /** The signature was verified. */
  isSigned: boolean;
}

interface Received extends EventAnswer {
  /** For a refusal that belongs to no installation: the host that the JWT names; '' without one. */
  claimedHost?: string;
  /** Under load, the claims are not read. */
  isUnread?: true;
  /** What the log line says besides the reason, so that an operator can fix it. */
  advice?: (object & Pick<RefusalExplanation, 'offBySeconds'>) | undefined;
}

/**
 * The reception guard is inside, so no caller can leave it out.
 *
 * @param name the event whose address was called
 * @throws ApiError if the body cannot be read.
 */
export async function answerEvent(
  context: EventContext,
  request: ServerRequest,
  name: LifecycleEventName,
): Promise<ServerAnswer> {
  const sender = findSender(context.guard, request.address);
  const [at, startedAt] = [context.now(), performance.now()];
  const posted = { request, name, sender, at, startedAt, jwt: '', isSigned: false };
  const received = await receive(context, posted).catch((error: unknown) => {
    if (error instanceof ApiError) {
      const body = bodyForPlatform(error);
      recordAnswer(context, posted, {
        status: error.status,
        body,
        reason: unreadableReason(error),
      });
    }
    throw error;
  });
  recordAnswer(context, posted, received);
  const { status, body, reason, retryAfterSeconds, advice } = received;
  if (status >= 400 && reason !== null) {
    const refused = { event: name, reason, status, ...advice };
    context.refusalLog.add(request, refused, strangerOf(context, received));
  }
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return { status, headers, body };
}

/** For the observers, and for the dashboard's list of deliveries. */
function recordAnswer(
  { observe, plugin: { name: plugin }, deliveries }: EventContext,
  { name: event, request, at, startedAt, jwt, isSigned }: PostedEvent,
  { status, reason, body, isRepeat, isUnread, advice }: Received,
): void {
  const durationMs = Math.round(performance.now() - startedAt);
  const isRefused = status >= 400;
  observe({
    type: isRefused ? 'event.refused' : 'event.answered',
    event,
    plugin,
    status,
    reason,
    durationMs,
  });
  const { requestId, address } = request;
  tallyDelivery(deliveries, {
    at,
    event,
    plugin,
    ...describeJwt(isUnread ? '' : jwt, isSigned),
    status,
    reason,
    isRepeat: isRepeat === true,
    durationMs,
    offBySeconds: advice?.offBySeconds ?? null,
    sender: isRefused ? describeSender(parseSenderAddress(address), 'address') : '',
    requestId,
    body: JSON.stringify(body),
  });
}

function strangerOf(
  { plugin }: Pick<EventContext, 'plugin'>,
  { claimedHost }: Pick<Received, 'claimedHost'>,
): Stranger | undefined {
  return claimedHost === undefined ? undefined : { plugin: plugin.name, claimedHost };
}

async function receive(context: EventContext, posted: PostedEvent): Promise<Received> {
  try {
    posted.jwt = await readEventJwt(posted.request);
    return await verifyAndAccept(context, posted);
  } catch (error) {
    return answerFailure(context, posted, error);
  }
}

async function verifyAndAccept(context: EventContext, posted: PostedEvent): Promise<Received> {
  const { request, name, sender, jwt } = posted;
  const { verifier, lifecycle, ownPlugins, guard, driftLog, shapes } = context;
  const respelled: Respelling[] = [];
  const onRespelled = (found: readonly Respelling[]) => void respelled.push(...found);
  const onSigned = () => {
    posted.isSigned = true;
    tallyJwt(shapes, `event ${name}`, { jwt, schema: lifecycleEventSchemas[name] });
  };
  const event = await whileVerifying(guard, sender, () =>
    verifier.verifyEvent(jwt, name, { sender, onRespelled, onSigned }),
  );
  recogniseSender(guard, sender);
  const namedBy = { issuer: event.iss, tenantId: event.tenantId };
  if (!ownPlugins.admits(event.pluginId, namedBy))
    return ofStranger(notAccepted('plugin_not_ours'), jwt);
  if (event.sub === 'access_token') respelled.push(...resolveAddresses(event, context).respelled);
  const facts = { requestId: request.requestId, unknown: driftLog.add(event, respelled) };
  const answer = await whileDeciding(guard, () =>
    outliveOutage(context.store, () => lifecycle.accept(event, facts)),
  );
  reportOlderAddresses(context.logger, answer);
  if (isInNoHistory(answer)) return ofStranger(answer, jwt);
  return { ...answer, advice: adviseOf(context, event, answer) };
}

/** The setting that would allow the API of a refused event. */
function adviseOf(
  context: EventContext,
  event: LifecycleEvent,
  { reason }: EventAnswer,
): Received['advice'] {
  const isOfAddress = reason === 'base_url_not_allowed' || reason === 'relative_url_not_allowed';
  return isOfAddress && event.sub === 'access_token' ? adviseApiOrigin(event, context) : undefined;
}

/** One tenant has the plug-in under two issuers: it has moved, or somebody uses its id. */
function reportOlderAddresses(logger: Pick<Log, 'warn'>, { olderAddresses }: EventAnswer): void {
  for (const { id, issuer, mayRest } of olderAddresses?.others ?? []) {
    const { installationId } = olderAddresses ?? {};
    const fields = { installationId, olderInstallationId: id, olderIssuer: issuer, mayRest };
    logger.warn(fields, 'installation.two_addresses');
  }
}

/** An event without an installation, or of another plug-in's: no installation has it in its history. */
function isInNoHistory({ reason }: EventAnswer): boolean {
  return reason === 'not_installed' || reason === 'plugin_mismatch';
}

function ofStranger(answer: EventAnswer, jwt: string): Received {
  return { ...answer, claimedHost: readClaimedHost(jwt) };
}

/** @throws ApiError if the body cannot be read; then the caller answers. */
function answerFailure(context: EventContext, posted: PostedEvent, error: unknown): Received {
  const { guard, logger } = context;
  const { sender, jwt } = posted;
  if (error instanceof OverloadError) return shed(error.reason);
  const isRefusal = error instanceof ApiError || error instanceof PlatformJwtError;
  if (isRefusal && isLimited(guard, sender)) return shed('rate_limited');
  if (error instanceof ApiError) {
    recordUnreadable(context, posted, error);
    throw error;
  }
  if (!(error instanceof PlatformJwtError)) return ofStranger(afterFault(logger, error), jwt);
  if (!error.retryable) countRefusal(guard, sender);
  const answer = error.retryable
    ? retryLater(error.reason, retryAfterSeconds)
    : notAccepted(error.reason);
  return { ...ofStranger(answer, jwt), advice: context.verifier.explain(jwt, error) };
}

/** Under load, the JWT's issuer is not read. */
function shed(reason: Reason): Received {
  return { ...retryLater(reason, retryAfterSeconds), claimedHost: '', isUnread: true };
}

/** An unreadable body counts like a forged event for its sender's limit. */
function recordUnreadable(
  context: EventContext,
  { request, name, sender }: PostedEvent,
  error: ApiError,
): void {
  if (error.status >= 500) return;
  const { guard, refusalLog } = context;
  const refused = { event: name, reason: unreadableReason(error), status: error.status };
  refusalLog.add(request, refused, strangerOf(context, { claimedHost: '' }));
  if (!isBrokenOff(error)) countRefusal(guard, sender);
}

/** An error of ours, such as an unavailable database. Nothing was decided. */
function afterFault(logger: Pick<Log, 'error'>, error: unknown): EventAnswer {
  const reason = error instanceof StoreError ? error.reason : undefined;
  // A database's reason stands in the line of the refusal.
  if (reason === undefined) logger.error({ err: error }, 'event.failed');
  return retryLater(reason ?? 'internal_error', retryAfterSeconds);
}

/** One text for every reason, so that a sender learns nothing about our data. */
function notAccepted(reason: Reason): EventAnswer {
  return { status: 400, body: { code: 401, message: 'The event was not accepted' }, reason };
}

/** Spec §4.4: the install call has a JSON body. The specification does not show its other members. */
const jsonBodySchema = z.looseObject({ token: z.string() });

/** The platform sends a form. JSON and a bare JWT occur in practice too. */
async function readEventJwt(request: ServerRequest): Promise<string> {
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
    // control A14
    if (token !== undefined && others.length === 0) return token;
    throw new PlatformJwtError('bad_token_format');
  }
  throw new ApiError(
    'BAD_MEDIA_TYPE',
    'Send the token as application/x-www-form-urlencoded, application/json or application/jwt',
  );
}
