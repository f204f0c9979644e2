/**
 * Opens the session of a plug-in's page (Spec §2). The iframe has an opaque origin and no cookies: an init JWT
 * opens the session, whose bearer token the page keeps in memory.
 */
import type {
  InstanceLookup,
  PluginSession,
  Store,
  UnmatchedPages,
} from '@dowel/installation-store';
import {
  PlatformJwtError,
  type PlatformJwtReason,
  type PlatformJwtVerifier,
  readClaimedHost,
} from '@dowel/platform-jwt';
import {
  describeSrc,
  type InitClaims,
  initClaimsSchema,
  type PlatformProfile,
  type Reason,
  type SessionRequest,
  sessionRequestSchema,
} from '@dowel/schema';
import { ApiError } from '../base/errors.ts';
import { type ShapeTally, tallyJwt, tallyShape } from '../base/shape-tally.ts';
import type { OwnPlugins } from '../events/own-plugins.ts';
import {
  countRefusal,
  findSender,
  isLimited,
  OverloadError,
  type OverloadReason,
  whileDeciding,
  whileVerifying,
} from '../events/reception-guard.ts';
import type { Log } from '../log/log.ts';
import type { Observe } from '../observation.ts';
import { readJson, unreadableReason } from '../request/read-body.ts';
import type { ServerAnswer, ServerRequest } from '../request/server-request.ts';
import { selectClaims } from './caller.ts';
import { createOpaqueToken, hashToken } from './opaque-token.ts';
import { isJtiAllowed, type NonceContext } from './session-nonce.ts';

const sessionLifetimeMs = 15 * 60 * 1000;

export interface SessionContext extends NonceContext {
  store: Store;
  verifier: PlatformJwtVerifier;
  ownPlugins: OwnPlugins;
  observe: Observe;
  profile: PlatformProfile;
  /** Whether a page whose `src` names no placed widget has a session. */
  unmatchedPages: UnmatchedPages;
  /** The claims that a session keeps: see `selectClaims`. */
  sessionClaims: readonly string[];
  logger: Pick<Log, 'warn'>;
  shapes: ShapeTally;
}

/** A request for a session. */
interface Asked {
  request: ServerRequest;
  /** As received; '' when it was not read. */
  initJwt: string;
}

/** The page that asks: what the platform signed for it, and the place that it names. */
interface Page {
  claims: InitClaims;
  src: string;
}

type FoundPlace = Extract<InstanceLookup, { outcome: 'found' }>;

/**
 * The reception guard is inside, so no caller can leave it out.
 *
 * @throws ApiError with the code of the refusal
 */
export async function openSession(
  context: SessionContext,
  request: ServerRequest,
): Promise<ServerAnswer> {
  const { initJwt, instanceId: src } = await readSessionRequest(context, request);
  const asked = { request, initJwt };
  const claims = await verifyInit(context, asked);
  tallyShape(context.shapes, 'src', () => [describeSrc(src, claims['ctx.tenantId'])]);
  if (!isJtiAllowed(context, claims.jti)) refuseJti(context, asked);
  return whileDeciding(context.guard, () => decideSession(context, asked, { claims, src }));
}

async function decideSession(
  context: SessionContext,
  asked: Asked,
  page: Page,
): Promise<ServerAnswer> {
  const { store, now, sessionClaims } = context;
  const { claims, src } = page;
  const found = await findPlace(context, asked, page);
  const { installation, instanceId, match } = found;
  const sessionToken = createOpaqueToken();
  const session: PluginSession = {
    installationId: installation.id,
    generation: installation.generation,
    userId: claims['ctx.userId'],
    instanceId,
    expiresAt: now() + sessionLifetimeMs,
  };
  const form = describeSrc(src, installation.tenantId);
  const opening = { match, form, claims: selectClaims(claims, sessionClaims) };
  const outcome = await store.transaction(({ sessions }) =>
    sessions.createPluginSession(hashToken(sessionToken), session, claims.jti, opening),
  );
  // The instance or the installation was removed meanwhile.
  if (outcome === 'over') return refuseSession(context, asked, 'instance_unknown');
  if (outcome === 'replayed') return refuseSession(context, asked, 'session_replay');
  if (match === 'unmatched' && found.srcForm === null) reportUnmatched(context, found, form);
  // A page was opened at this address, so it is in use.
  if (installation.hasMoved) await store.installations.endMove(installation.id);
  context.observe({
    type: 'session.opened',
    plugin: context.plugin.name,
    installationId: installation.id,
  });
  return { status: 201, body: { sessionToken, expiresAt: session.expiresAt } };
}

/** Once for each installation, because its row keeps the form. `form` has no value of `src`. */
function reportUnmatched(
  { logger }: SessionContext,
  { installation }: FoundPlace,
  form: string,
): void {
  const { id: installationId, issuer, tenantId, pluginId } = installation;
  logger.warn(
    { installationId, issuer, tenantId, pluginId, form },
    'session.unmatched: the src of a page names no placed widget. DOWEL_UNMATCHED_PAGES says whether such a page may work; the option profile.instanceOf reads a src of another form.',
  );
}

async function readSessionRequest(
  context: SessionContext,
  request: ServerRequest,
): Promise<SessionRequest> {
  try {
    return await readJson(request, sessionRequestSchema);
  } catch (error) {
    if (error instanceof ApiError) {
      const { status } = error;
      record(context, { request, initJwt: '' }, { reason: unreadableReason(error), status });
    }
    throw error;
  }
}

async function verifyInit(context: SessionContext, asked: Asked): Promise<InitClaims> {
  const { verifier, guard, shapes } = context;
  const { request, initJwt } = asked;
  const sender = findSender(guard, request.address);
  const unread = { request, initJwt: '' };
  const onSigned = () => tallyJwt(shapes, 'init JWT', { jwt: initJwt, schema: initClaimsSchema });
  try {
    return await whileVerifying(guard, sender, () =>
      verifier.verifyInit(initJwt, { sender, onSigned }),
    );
  } catch (error) {
    // Under overload, the JWT is not read for its issuer.
    if (error instanceof OverloadError) return shed(context, unread, error.reason);
    if (!(error instanceof PlatformJwtError)) throw error;
    if (isLimited(guard, sender)) return shed(context, unread, 'rate_limited');
    if (error.retryable) return shed(context, asked, error.reason);
    countRefusal(guard, sender);
    return refuseSession(context, asked, error.reason, verifier.explain(initJwt, error));
  }
}

/** The installation and the instance of the page, if both are ours. Otherwise the session is refused. */
async function findPlace(
  context: SessionContext,
  asked: Asked,
  { claims, src }: Page,
): Promise<FoundPlace> {
  const { store, ownPlugins, plugin, profile, unmatchedPages } = context;
  const { iss: issuer, pluginId, 'ctx.tenantId': tenantId } = claims;
  if (!ownPlugins.admitsInit(pluginId, { issuer, tenantId })) {
    return refuseSession(context, asked, 'plugin_not_ours');
  }
  const found = await store.installations.findByInstance(issuer, tenantId, src, {
    plugin: plugin.name,
    instanceOf: profile.instanceOf,
    unmatched: unmatchedPages,
  });
  if (found.outcome !== 'found') return refuseSession(context, asked, found.outcome);
  const { installation, lastEndedIat } = found;
  const isOurs = ownPlugins.has(installation.pluginId);
  if (!isOurs) return refuseSession(context, asked, 'plugin_not_ours');
  // Another plug-in's page would act for this one, with its scopes.
  const isMismatch = installation.plugin !== context.plugin.name;
  if (isMismatch) return refuseSession(context, asked, 'plugin_mismatch');
  // A page of an earlier generation, whose user may no longer exist.
  const isOfEarlierLife = claims.iat < (lastEndedIat ?? 0);
  if (isOfEarlierLife) return refuseSession(context, asked, 'session_of_earlier_life');
  const isOther = typeof pluginId === 'string' && pluginId.toLowerCase() !== installation.pluginId;
  if (isOther) return refuseSession(context, asked, 'plugin_mismatch');
  return found;
}

/** One answer for every refusal, so that it does not reveal which tenants exist. */
function refuseSession(
  context: SessionContext,
  asked: Asked,
  reason: Reason,
  advice?: object,
): never {
  record(context, asked, { ...advice, reason, status: 403 });
  throw new ApiError('SESSION_REFUSED', 'The platform page did not vouch for this user here');
}

/** This answer reveals nothing about tenants, so it may differ from the others. */
function refuseJti(context: SessionContext, asked: Asked): never {
  record(context, asked, { reason: 'session_nonce_unknown', status: 403 });
  throw new ApiError(
    'SESSION_NONCE_REQUIRED',
    'The jti of the init JWT must be a fresh nonce of POST api/session/nonce',
  );
}

/** Nothing was decided: the same init JWT may open a session later. */
function shed(
  context: SessionContext,
  asked: Asked,
  reason: 'rate_limited' | OverloadReason | PlatformJwtReason,
): never {
  const error = refuseForNow(reason);
  record(context, asked, { reason, status: error.status });
  throw error;
}

function record(
  { refusalLog, plugin }: SessionContext,
  { request, initJwt }: Asked,
  refused: { reason: string; status: number },
): void {
  const stranger = { plugin: plugin.name, claimedHost: readClaimedHost(initJwt) };
  refusalLog.add(request, { event: 'session', ...refused }, stranger);
}

function refuseForNow(reason: Reason): ApiError {
  const isLimited = reason === 'rate_limited';
  return new ApiError(isLimited ? 'TOO_MANY_ATTEMPTS' : 'OVERLOADED', 'Try again later', {
    headers: { 'Retry-After': isLimited ? '60' : '10' },
  });
}
