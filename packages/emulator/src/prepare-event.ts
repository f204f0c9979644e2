/** An event before it is sent: its claims, its URL, and what a test changes. */
import { randomUUID } from 'node:crypto';
import { eventUrl, type LifecycleEventName, resolveUrl } from '@dowel/schema';
import type { JWTPayload } from 'jose';
import { deliverEvent } from './deliver-event.ts';
import type { Environment } from './environment.ts';
import type { ExchangeRecord } from './exchange-log.ts';
import { extraClaims } from './extra-claims.ts';
import type { SigningKeyName } from './signing-keys.ts';
import type { InstallationRecord } from './snapshot.ts';
import type { TenantState } from './tenant-state.ts';

const eventLifetimeSeconds = 60;

export type Recipient = Pick<InstallationRecord, 'pluginId' | 'manifestUrl' | 'manifest'>;

/** What is sent in place of an event as it was prepared. */
export interface EventChange {
  /** Replaces members of the header: `alg` (of RSA), `typ`, `jku`. `undefined` leaves one out. */
  header?: Readonly<Record<string, unknown>> | undefined;
  /** Replaces claims. `undefined` leaves one out. */
  claims?: Readonly<Record<string, unknown>> | undefined;
  /** The key that signs. Default: `own`. */
  key?: SigningKeyName | undefined;
  /** The event whose URL gets it. Default: the event itself. */
  to?: LifecycleEventName | undefined;
  /** This text is sent, in place of a signed JWT. */
  jwt?: string | undefined;
}

export interface UnsentEvent {
  readonly url: URL;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: JWTPayload;
  sign(change?: EventChange): Promise<string>;
  /** Never rejects. */
  send(change?: EventChange & { fault?: string }): Promise<ExchangeRecord>;
}

/**
 * Resolves with null when the manifest does not request the event. Uses the real time, not the authorization server's
 * (tenant-state.ts).
 */
export async function prepareEvent(
  env: Environment,
  { tenant, lab }: TenantState,
  recipient: Recipient,
  event: LifecycleEventName,
  ownClaims: JWTPayload = {},
): Promise<UnsentEvent | null> {
  const url = urlOfEvent(recipient, event);
  if (!url) return null;
  const { pluginId } = recipient;
  const { tenantId } = tenant;
  const { header } = await env.signingKeys.open();
  const iat = Math.floor(env.now() / 1000);
  const claims = {
    iss: tenant.baseUrl,
    iat,
    exp: iat + eventLifetimeSeconds,
    jti: randomUUID(),
    tenantId,
    pluginId,
    ...extraClaims(lab),
    ...ownClaims,
    sub: event,
  };
  const sign = async ({ jwt, key, ...change }: EventChange = {}) => {
    if (jwt !== undefined) return jwt;
    const signingKey = await env.signingKeys.open(key);
    return signingKey.sign({ ...claims, ...change.claims }, change.header);
  };
  return {
    url,
    header,
    claims,
    sign,
    async send({ to = event, fault, ...change } = {}) {
      return deliverEvent(env, {
        tenantId,
        pluginId,
        event,
        url: (to !== event && urlOfEvent(recipient, to)) || url,
        eventJwt: await sign(change),
        fault,
      });
    },
  };
}

function urlOfEvent(
  { manifest, manifestUrl }: Recipient,
  event: LifecycleEventName,
): URL | undefined {
  const { apiAccess, lifecycle } = manifest;
  if (event === 'access_token') {
    return apiAccess && eventUrl(resolveUrl(apiAccess.url, manifestUrl), event);
  }
  if (!lifecycle?.events.includes(event)) return undefined;
  return eventUrl(resolveUrl(lifecycle.url, manifestUrl), event);
}
