/** Stores an access_token event's tokens, without the signature check and the inbox. */
import {
  type AccessTokenEvent,
  type AccessTokenEventPayload,
  accessTokenEventSchema,
} from '@dowel/schema';
import type { TokenClient } from '../token-client.ts';
import type { InstallationLife, TokenStore, TokenStores } from '../token-store.ts';
import { scope } from './authorization-server.ts';

/** Events of the same few seconds count as simultaneous. */
const toleranceSeconds = 5;

type Key = Pick<InstallationLife, 'issuer' | 'tenantId' | 'pluginId'>;

interface ReceivingStores extends TokenStores {
  installations: {
    begin(key: Key, iat: number, at: number): Promise<InstallationLife>;
    find(key: Key): Promise<InstallationLife | undefined>;
  };
}

/** A store that knows its installations by their keys. */
export type ReceivingStore = TokenStore<ReceivingStores>;

export async function receiveEvent(
  store: ReceivingStore,
  client: TokenClient,
  payload: AccessTokenEventPayload,
): Promise<void> {
  const event = accessTokenEventSchema.parse(payload);
  const order = { iat: event.iat, newestIat: event.iat + toleranceSeconds };
  const installation = await findInstallation(store, event);
  await client.acceptEvent(installation, event, { requestedScopes: [scope], order });
}

async function findInstallation(
  store: ReceivingStore,
  { iss, tenantId, pluginId }: AccessTokenEvent,
): Promise<InstallationLife> {
  const installation = await store.installations.find({ issuer: iss, tenantId, pluginId });
  if (!installation) throw new Error('An event came for an unknown installation');
  return installation;
}
