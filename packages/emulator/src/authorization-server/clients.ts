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
    // Basic headers fail on them. The end is where base64url differs from base64.
    clientSecret: given.clientSecret ?? `ü:${server.createSecret('client')}+%&=€~~?`,
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

/** The client that a header `Authorization` names; the secret may be wrong. */
export function findClientOf(
  { clients }: AuthorizationServer,
  authorization = '',
): Client | undefined {
  const { clientId } = readBasic(authorization);
  return clients.find((each) => each.clientId === clientId);
}

/**
 * Client authentication by HTTP Basic: base64 of the UTF-8 bytes of `id:secret`; the secret may contain colons.
 *
 * @returns no client for a wrong secret. With a `mistake`, the secret is right and its spelling is not.
 */
export function authenticateClient(
  server: AuthorizationServer,
  authorization = '',
): { client?: Client; mistake?: string } {
  const client = findClientOf(server, authorization);
  const { bytes, isPlain } = readBasic(authorization);
  const { clientId, clientSecret } = client ?? { clientId: '', clientSecret: randomSecret() };
  const secretOf = (text: string) => text.slice(clientId.length + 1);
  const spellings = [
    [secretOf(bytes.toString('utf8')), isPlain ? undefined : 'It is base64url, not base64'],
    [
      decodeForm(secretOf(bytes.toString('utf8'))),
      'id and secret were form-encoded first: encode id:secret in base64 only',
    ],
  ] as const;
  for (const [secret, mistake] of spellings) {
    if (equalSecrets(clientSecret, secret))
      return client ? { client, ...(mistake && { mistake }) } : {};
  }
  const latin1 = Buffer.from(clientSecret, 'latin1').toString('hex');
  if (client && equalSecrets(latin1, bytes.subarray(clientId.length + 1).toString('hex'))) {
    return { client, mistake: 'id and secret were encoded as Latin-1: use UTF-8' };
  }
  return {};
}

function readBasic(authorization: string): { clientId: string; bytes: Buffer; isPlain: boolean } {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const [clientId = ''] = bytes.toString('utf8').split(':');
  return { clientId, bytes, isPlain: !/[_-]/.test(encoded) };
}

/** The text itself, if it is no form. */
function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
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
