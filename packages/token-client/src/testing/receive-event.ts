/** Stores an access_token event's tokens, without the signature check and the inbox. */
import type { Installation, Store } from '@dowel/installation-store';
import {
  type AccessTokenEvent,
  type AccessTokenEventPayload,
  accessTokenEventSchema,
} from '@dowel/schema';
import type { TokenClient } from '../token-client.ts';
import { scope } from './authorization-server.ts';

/** Events of the same few seconds count as simultaneous. */
const toleranceSeconds = 5;

export async function receiveEvent(
  store: Store,
  client: TokenClient,
  payload: AccessTokenEventPayload,
): Promise<void> {
  const event = accessTokenEventSchema.parse(payload);
  const order = { iat: event.iat, newestIat: event.iat + toleranceSeconds };
  const installation = await findInstallation(store, event);
  await client.acceptEvent(installation, event, { requestedScopes: [scope], order });
}

async function findInstallation(
  store: Store,
  { iss, tenantId, pluginId }: AccessTokenEvent,
): Promise<Installation> {
  const installation = await store.installations.find({ issuer: iss, tenantId, pluginId });
  if (!installation) throw new Error('An event came for an unknown installation');
  return installation;
}
