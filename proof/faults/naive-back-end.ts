/**
 * A plug-in's back end as one writes it in an hour: events, tokens and calls, in memory only. The first segment of its
 * paths names the one mistake that it makes there, so each installation has its own.
 */
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';

export type Mistake =
  /** Reads an event without a look at its signature and its end. */
  | 'believes'
  /** Believes an event whose key cannot be loaded. */
  | 'failsOpen'
  | 'followsRedirects'
  /** Keeps the first key for all events. */
  | 'keepsFirstKey'
  /** Accepts an event before its code is exchanged. */
  | 'answersFirst'
  /** Takes any answer with status 200 for tokens. */
  | 'trustsStatus'
  /** Refuses claims and members that it does not know. */
  | 'refusesUnknown'
  /** Presents the code of every copy. */
  | 'treatsCopiesAsNew'
  /** Refuses tokens before the install event. */
  | 'needsInstall'
  /** Drops the tokens at any uninstall, however old. */
  | 'ignoresOrder'
  /** Every call refreshes and triggers for itself. */
  | 'sharesNothing'
  /** Refreshes after any refusal of a call. */
  | 'refreshesAlways'
  /** Repeats a call that failed at once. */
  | 'insists'
  | 'hasNoTimeLimit'
  /** Answers 201 to everything, and sends no request. */
  | 'doesNothing';

interface Client {
  client_id: string;
  client_secret: string;
  authorization_code: string;
  token_endpoint_url: string;
  trigger_event: { url: string; body: string };
}

interface Claims {
  exp: number;
  jti: string;
  pluginId: string;
  base_url: string;
  client: Client;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
}

interface Installation {
  installedAt?: number;
  baseUrl: string;
  client: Client;
  tokens?: Tokens | undefined;
  renewal?: Promise<unknown> | undefined;
  /** By the event's `jti`. */
  exchanges: Map<string, Promise<void>>;
}

interface State {
  manifest: object;
  installations: Map<string, Installation>;
  keys: Map<string, JsonWebKey>;
}

/** Shorter than the platform's. */
const timeLimitMs = 20_000;

const limitOf = (mistake: Mistake): RequestInit =>
  mistake === 'hasNoTimeLimit' ? {} : { signal: AbortSignal.timeout(timeLimitMs) };

/** For `startTestServer`. */
export function createNaiveBackEnd(manifest: object) {
  const state: State = { manifest, installations: new Map(), keys: new Map() };
  const server = createServer((request, response) => {
    answer(state, request).then(
      ({ status, body }) =>
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(body)),
      (error: Error) =>
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(JSON.stringify({ code: 400, message: error.message })),
    );
  });
  // A call must not meet a connection that closes.
  server.keepAliveTimeout = 120_000;
  return {
    async start() {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  state: State,
  request: IncomingMessage,
): Promise<{ status: number; body: object }> {
  const [, mistake, ...rest] = (request.url ?? '').split('/') as ['', Mistake, ...string[]];
  const path = rest.join('/');
  if (path === 'manifest.json') return { status: 200, body: state.manifest };
  if (mistake === 'doesNothing') return { status: 201, body: {} };
  if (path === 'use') {
    const { pluginId, ...use } = (await json(request)) as Use & { pluginId: string };
    return { status: await call(mistake, installationOf(state, pluginId), use), body: {} };
  }
  const eventJwt = new URLSearchParams(await text(request)).get('token') ?? '';
  await receive(state, mistake, { event: path.replace('lifecycle/', ''), eventJwt });
  return { status: 201, body: {} };
}

function installationOf({ installations }: State, pluginId: string): Installation {
  const found = installations.get(pluginId);
  if (found) return found;
  throw new Error('Not installed');
}

async function receive(
  state: State,
  mistake: Mistake,
  { event, eventJwt }: { event: string; eventJwt: string },
): Promise<void> {
  const claims = await readEvent(state, mistake, eventJwt);
  const { pluginId, jti, base_url: baseUrl, client } = claims;
  const known = state.installations.get(pluginId);
  const installation: Installation = known ?? { baseUrl, client, exchanges: new Map() };
  state.installations.set(pluginId, installation);
  if (event === 'install') installation.installedAt = Date.now();
  if (event === 'uninstall') {
    delete installation.tokens;
    delete installation.installedAt;
  }
  if (event !== 'access_token') return;
  if (mistake === 'needsInstall' && !installation.installedAt) throw new Error('Not installed');
  if (mistake === 'refusesUnknown' && 'unknown' in claims) throw new Error('Unknown claim');
  Object.assign(installation, { baseUrl, client });
  const copy = installation.exchanges.get(jti);
  const exchange = (mistake !== 'treatsCopiesAsNew' && copy) || exchangeCode(mistake, installation);
  installation.exchanges.set(jti, exchange);
  if (mistake === 'answersFirst') exchange.catch(() => undefined);
  else await exchange;
}

function partOf<Part>(text64: string | undefined): Part {
  return JSON.parse(Buffer.from(text64 ?? '', 'base64url').toString()) as Part;
}

async function readEvent(state: State, mistake: Mistake, eventJwt: string): Promise<Claims> {
  const [header, payload, signature = ''] = eventJwt.split('.');
  const claims = partOf<Claims>(payload);
  if (mistake === 'believes') return claims;
  const key = await loadKey(state, mistake, partOf<{ jku: string }>(header).jku);
  if (!key) return claims;
  const signed = Buffer.from(`${header}.${payload}`);
  const publicKey = createPublicKey({ key, format: 'jwk' });
  if (!verify('sha512', signed, publicKey, Buffer.from(signature, 'base64url'))) {
    throw new Error('Wrong signature');
  }
  if (claims.exp * 1_000 < Date.now() - 60_000) throw new Error('Expired');
  return claims;
}

/** Undefined: there is none, and the event is believed. */
async function loadKey(
  { keys }: State,
  mistake: Mistake,
  jku: string,
): Promise<JsonWebKey | undefined> {
  const known = mistake === 'keepsFirstKey' ? [...keys.values()][0] : keys.get(jku);
  if (known) return known;
  try {
    const redirect = mistake === 'followsRedirects' ? 'follow' : 'error';
    const response = await fetch(jku, { redirect, ...limitOf(mistake) });
    const { key } = (await response.json()) as { key?: JsonWebKey };
    if (!key) throw new Error('No key');
    keys.set(jku, key);
    return key;
  } catch (error) {
    if (mistake === 'failsOpen') return undefined;
    throw error;
  }
}

async function exchangeCode(mistake: Mistake, installation: Installation): Promise<void> {
  const { authorization_code: code } = installation.client;
  await requestTokens(mistake, installation, { grant_type: 'authorization_code', code });
}

async function requestTokens(
  mistake: Mistake,
  installation: Installation,
  parameters: Record<string, string>,
): Promise<void> {
  const { baseUrl, client } = installation;
  const { client_id: id, client_secret: secret, token_endpoint_url: path } = client;
  const query = new URLSearchParams(parameters).toString();
  const response = await fetch(`${baseUrl}/${path}?${query}`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    ...limitOf(mistake),
  });
  if (!response.ok) throw new Error(`No tokens: ${response.status}`);
  const tokens = (await response.json().catch((error: Error) => {
    if (mistake !== 'trustsStatus') throw error;
    return {};
  })) as Partial<Tokens>;
  const isWhole = tokens.access_token !== undefined && tokens.refresh_token !== undefined;
  if (mistake !== 'trustsStatus' && !isWhole) throw new Error('No tokens');
  if (mistake === 'refusesUnknown' && 'unknown_member' in tokens) throw new Error('Unknown member');
  installation.tokens = tokens as Tokens;
}

/** Refreshes, or triggers an event if that fails. */
async function renew(mistake: Mistake, installation: Installation): Promise<void> {
  const refresh = async () => {
    const { refresh_token: refreshToken = '' } = installation.tokens ?? {};
    const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken };
    await requestTokens(mistake, installation, parameters).catch(() => trigger(installation));
  };
  if (mistake === 'sharesNothing') return refresh();
  installation.renewal ??= refresh().finally(() => delete installation.renewal);
  await installation.renewal;
}

/** The event comes later: the call that needs its tokens fails. */
async function trigger({ baseUrl, client }: Installation): Promise<never> {
  const { url, body } = client.trigger_event;
  const headers = { 'content-type': 'application/json' };
  await fetch(`${baseUrl}${url}`, { method: 'POST', headers, body });
  throw new Error('No tokens yet');
}

interface Use {
  path: string;
  recipientId: string;
}

/** Resolves with the status of the platform's answer. */
async function call(
  mistake: Mistake,
  installation: Installation,
  { path, recipientId }: Use,
): Promise<number> {
  if (!installation.tokens) return trigger(installation);
  const send = async () => {
    const { status } = await fetch(`${installation.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${installation.tokens?.access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ recipientId, message: 'Hello' }),
      ...limitOf(mistake),
    });
    return status;
  };
  const status = await send();
  if (status < 400) return status;
  if (status === 401 || mistake === 'refreshesAlways') {
    await renew(mistake, installation);
    return send();
  }
  return mistake === 'insists' ? send() : status;
}
