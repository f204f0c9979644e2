/**
 * Applies verified events to installations (Spec §3, §6). Each definitive answer is recorded with
 * the event's digest in the transaction that applies it, so that a re-delivery is answered like the
 * first delivery and changes nothing.
 */
import type { Installation, InstallationKey, Store } from '@dowel/installation-store';
import { type AccessTokenEvent, joinPlatformUrl, type LifecycleEvent } from '@dowel/schema';
import { type TokenClient, TokenRequestError } from '@dowel/token-client';
import { accepted, type EventAnswer, refuse, repeatAnswer, tryAgain } from './event-answer.ts';
import { eventDigest } from './event-digest.ts';

export interface LifecycleOptions {
  store: Store;
  tokenClient: Pick<TokenClient, 'exchange'>;
  /** The scopes the manifest asks for. */
  requestedScopes: string[];
  /** Without these the plug-in is of no use: the event is refused. Default: all requested ones. */
  essentialScopes?: string[];
  /** Epoch milliseconds. */
  now?: () => number;
}

export type Lifecycle = ReturnType<typeof createLifecycle>;

export function createLifecycle({
  store,
  tokenClient,
  requestedScopes,
  essentialScopes = requestedScopes,
  now = Date.now,
}: LifecycleOptions) {
  const running = new Map<string, Promise<EventAnswer>>();

  async function process(event: LifecycleEvent, digest: string): Promise<EventAnswer> {
    const receivedAt = now();
    const known = await store.installations.find(keyOf(event));
    const first = known && (await store.events.findAnswer(known.id, digest));
    if (first) return repeatAnswer(first.reason);
    if (known && isOfEndedLife(event, known)) {
      return record(event, known, digest, receivedAt, refuse('after_uninstall'));
    }
    if (event.sub === 'access_token') return exchange(event, digest, receivedAt);
    return apply(event, known, digest, receivedAt);
  }

  /** Events that need nothing from the platform. */
  async function apply(
    event: Exclude<LifecycleEvent, AccessTokenEvent>,
    known: Installation | undefined,
    digest: string,
    receivedAt: number,
  ): Promise<EventAnswer> {
    if (!known && event.sub !== 'install') return accepted;
    await store.transaction(async ({ installations, events }) => {
      const installation =
        event.sub === 'install' || !known
          ? await installations.begin(keyOf(event), event.iat, receivedAt)
          : known;
      if (event.sub === 'uninstall' && event.iat >= installation.beganIat) {
        await installations.uninstall(installation, event.iat);
      }
      if (event.sub === 'instance_add') {
        await installations.addInstance(installation.id, event.instanceId);
      }
      if (event.sub === 'instance_remove') {
        await installations.removeInstance(installation.id, event.instanceId);
      }
      await events.recordEvent(entryOf(event, installation, digest, receivedAt, accepted));
    });
    return accepted;
  }

  /** Spec §4.1: 201 only when the tokens are stored and the essential scopes granted. */
  async function exchange(
    event: AccessTokenEvent,
    digest: string,
    receivedAt: number,
  ): Promise<EventAnswer> {
    const installation = await store.installations.begin(keyOf(event), event.iat, receivedAt);
    const badAddress = refuseAddresses(event);
    if (badAddress) return record(event, installation, digest, receivedAt, badAddress);
    const startedAt = now();
    try {
      const { access, tokens } = await tokenClient.exchange(installation, event, requestedScopes);
      if (!essentialScopes.every((scope) => tokens.grantedScopes.includes(scope))) {
        return await recordExchange(
          event,
          installation,
          digest,
          startedAt,
          refuse('scope_missing'),
        );
      }
      return await store.transaction(async ({ grants, events }) => {
        const stored = await grants.replace(installation, access, tokens);
        const answer = stored ? accepted : refuse('after_uninstall');
        await events.recordEvent(entryOf(event, installation, digest, receivedAt, answer));
        const tokenVersion = stored
          ? ((await grants.load(installation.id))?.tokenVersion ?? null)
          : null;
        await events.recordTokenOperation({
          installationId: installation.id,
          operation: 'exchange',
          startedAt,
          durationMs: now() - startedAt,
          succeeded: stored,
          tokenVersion,
          reason: answer.reason,
        });
        return answer;
      });
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      return recordExchange(event, installation, digest, startedAt, answerFor(error), error.reason);
    }
  }

  /** An exchange that left no tokens. */
  async function recordExchange(
    event: AccessTokenEvent,
    installation: Installation,
    digest: string,
    startedAt: number,
    answer: EventAnswer,
    reason = answer.reason,
  ): Promise<EventAnswer> {
    await store.events.recordTokenOperation({
      installationId: installation.id,
      operation: 'exchange',
      startedAt,
      durationMs: now() - startedAt,
      succeeded: false,
      tokenVersion: null,
      reason,
    });
    return record(event, installation, digest, startedAt, answer);
  }

  async function record(
    event: LifecycleEvent,
    installation: Installation,
    digest: string,
    receivedAt: number,
    answer: EventAnswer,
  ): Promise<EventAnswer> {
    await store.events.recordEvent(entryOf(event, installation, digest, receivedAt, answer));
    return answer;
  }

  function entryOf(
    event: LifecycleEvent,
    installation: Installation,
    digest: string,
    receivedAt: number,
    answer: EventAnswer,
  ) {
    return {
      installationId: installation.id,
      event: event.sub,
      digest: answer.retryAfterSeconds === undefined ? digest : null,
      receivedAt,
      durationMs: now() - receivedAt,
      status: answer.status,
      reason: answer.reason,
    };
  }

  return {
    /**
     * Applies a verified event and says what to answer. Copies that arrive while the first is being
     * applied get its answer.
     */
    accept(event: LifecycleEvent): Promise<EventAnswer> {
      const digest = eventDigest(event);
      const key = JSON.stringify([keyOf(event), digest]);
      const first = running.get(key);
      if (first) return first;
      const answer = process(event, digest).finally(() => running.delete(key));
      running.set(key, answer);
      return answer;
    },
  };
}

function keyOf({ iss, tenantId, pluginId }: LifecycleEvent): InstallationKey {
  return { issuer: iss, tenantId, pluginId };
}

function isOfEndedLife(event: LifecycleEvent, { status, endedIat }: Installation): boolean {
  if (event.sub === 'uninstall' || endedIat === null) return false;
  const startsLife = event.sub === 'install' || event.sub === 'access_token';
  return event.iat < endedIat || (status === 'uninstalled' && !startsLife);
}

/** Nothing validly signed may steer a secret to another origin than the tenant's own. */
function refuseAddresses({ iss, base_url, client }: AccessTokenEvent): EventAnswer | undefined {
  const base = URL.parse(base_url);
  if (!base || base.username || base.password || base.origin !== new URL(iss).origin) {
    return refuse('base_url_not_allowed');
  }
  const paths = [client.token_endpoint_url, client.trigger_event?.url];
  const arePlain = paths.every((path) => path === undefined || isPlainPath(base_url, path));
  return arePlain ? undefined : refuse('relative_url_not_allowed');
}

function isPlainPath(baseUrl: string, path: string): boolean {
  try {
    joinPlatformUrl(baseUrl, path);
    return true;
  } catch {
    return false;
  }
}

function answerFor({ reason, rejected }: TokenRequestError): EventAnswer {
  if (reason === 'token_tenant_mismatch' || reason === 'token_response_invalid')
    return refuse(reason);
  return rejected ? refuse('exchange_rejected') : tryAgain;
}
