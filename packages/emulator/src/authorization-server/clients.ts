/** The clients of an authorization server: one for each installation. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { removeFirst } from '../remove-first.ts';
import type { Client } from './client-schema.ts';
import { type AuthorizationServer, randomSecret } from './server.ts';

/** Adds the client of an installation, or returns the existing one. */
export function registerClient(
  server: AuthorizationServer,
  given: Pick<Client, 'pluginId'> & Partial<Omit<Client, 'grants'>>,
): Client {
  const { pluginId } = given;
  const known = findClient(server, pluginId);
  if (known) return known;
  const client = {
    pluginId,
    clientId: given.clientId ?? randomUUID(),
    // Letters beyond ASCII, a colon and form delimiters: real secrets contain them, and wrong
    // Basic headers fail on them.
    clientSecret: given.clientSecret ?? `ü:${server.createSecret('client')}+%&=€`,
    triggerToken: given.triggerToken ?? server.createSecret('trigger'),
    grants: [],
  };
  server.clients.push(client);
  return client;
}

/** Voids the client, and all codes, tokens and the trigger token of the installation. */
export function forgetClient({ clients }: AuthorizationServer, pluginId: string): void {
  removeFirst(clients, (each) => each.pluginId === pluginId);
}

/** The client of an installation; undefined if none is registered. */
export function findClient({ clients }: AuthorizationServer, pluginId: string): Client | undefined {
  return clients.find((each) => each.pluginId === pluginId);
}

/** Client authentication by HTTP Basic: base64 of the UTF-8 bytes of `id:secret`; the secret may contain colons. */
export function authenticateClient(
  { clients }: AuthorizationServer,
  authorization = '',
): Client | undefined {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  const [clientId = '', ...secretParts] = Buffer.from(encoded, 'base64')
    .toString('utf8')
    .split(':');
  const client = clients.find((each) => each.clientId === clientId);
  const isRight = equalSecrets(client?.clientSecret ?? randomSecret(), secretParts.join(':'));
  return isRight ? client : undefined;
}

/** Whether this is the trigger token of the installation (Spec §4.3). */
export function isTriggerToken(
  server: AuthorizationServer,
  { pluginId, triggerToken }: Pick<Client, 'pluginId' | 'triggerToken'>,
): boolean {
  return equalSecrets(findClient(server, pluginId)?.triggerToken ?? randomSecret(), triggerToken);
}

/** In constant time: digests have the same length for secrets of any length. */
function equalSecrets(expected: string, actual: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(expected), digest(actual));
}
