/**
 * A right back end in plain Node, as the doctor's own patient. A `mistake` changes one line of it, and has the name of
 * the check that finds it. It keeps its installations in memory.
 */
import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PlainOptions {
  /** The platform's origin: keys below `/certificates/` are trusted. Default: none, until {@link PlainBackEnd.trust}. */
  trusts?: string;
  /** The check that must find it. None: a right back end. */
  mistake?: string | undefined;
}

export interface PlainBackEnd {
  readonly manifestUrl: string;
  trust(origin: string): void;
  close(): Promise<void>;
}

interface Grant {
  baseUrl: string;
  tokenUrl: string;
  triggerUrl: string;
  triggerBody: string;
  basic: string;
  code: string;
  accessToken: string;
  refreshToken: string | undefined;
}

type Claims = Record<string, unknown>;

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const events = ['install', 'uninstall', 'access_token', 'instance_add', 'instance_remove'];
const maxBytes = 64 * 1024;
const requestLimitMs = 8_000;
const triggerWaitMs = 8_000;

export async function startPlainBackEnd({
  trusts = '',
  mistake,
}: PlainOptions = {}): Promise<PlainBackEnd> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const settings = { trusts, mistake };
  const answer = createAnswer(settings, origin);
  server.on('request', (request, response) => void answer(request, response));
  return {
    manifestUrl: `${origin}/manifest.json`,
    trust(origin) {
      settings.trusts = origin;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createAnswer(settings: Required<PlainOptions>, origin: string) {
  /** Whether this line is the wrong one. */
  const is = (name: string) => settings.mistake === name;
  const grants = new Map<string, Grant>();
  const queues = new Map<string, Promise<unknown>>();
  const renewals = new Map<string, Promise<void>>();
  const arrivals = new Map<string, (() => void)[]>();

  /** Events of one installation come one after the other. */
  function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = queues.get(key) ?? Promise.resolve();
    const next = before.then(work, work);
    queues.set(
      key,
      next.catch(() => {}),
    );
    return next;
  }

  async function verify(jwt: string): Promise<Claims> {
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    const { alg, jku } = parse(header);
    const bits = { RS256: 'sha256', RS384: 'sha384', RS512: 'sha512' }[String(alg)];
    if (bits === undefined) throw new Refused(401, 'The algorithm is not allowed');
    const url = URL.parse(String(jku));
    const isTrusted = url?.origin === settings.trusts && url.pathname.startsWith('/certificates/');
    if (!isTrusted || url.search !== '' || url.username !== '')
      throw new Refused(401, 'Unknown key');
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(requestLimitMs),
    });
    if (!response.ok) throw new Refused(503, 'The key cannot be loaded');
    const { key } = (await response.json()) as { key: Record<string, string> };
    const publicKey = createPublicKey({ key, format: 'jwk' });
    const bytes = Buffer.from(signature, 'base64url');
    if (!verifySignature(bits, Buffer.from(`${header}.${payload}`), publicKey, bytes)) {
      throw new Refused(401, 'The signature is wrong');
    }
    const claims = parse(payload);
    const now = Date.now() / 1000;
    if (typeof claims.exp !== 'number' || claims.exp < now - 60)
      throw new Refused(401, 'It has expired');
    if (typeof claims.iat === 'number' && claims.iat > now + 300)
      throw new Refused(401, 'It is of the future');
    return claims;
  }

  async function acceptEvent(event: string, claims: Claims): Promise<void> {
    if (claims.sub !== event) throw new Refused(401, 'It is another event');
    const key = `${claims.iss} ${claims.tenantId} ${claims.pluginId}`;
    if (event === 'uninstall') grants.delete(key);
    if (event === 'access_token') await inTurn(key, () => acceptAccess(key, claims));
  }

  async function acceptAccess(key: string, claims: Claims): Promise<void> {
    const client = claims.client as Record<string, never>;
    const trigger = (client.trigger_event ?? {}) as Record<string, string>;
    const baseUrl = String(claims.base_url).replace(/\/+$/, '');
    const join = (path: string) =>
      /^https?:/.test(path) ? path : `${baseUrl}/${path.replace(/^\/+/, '')}`;
    const code = String(client.authorization_code);
    if (grants.get(key)?.code === code) return;
    const grant: Grant = {
      baseUrl,
      code,
      tokenUrl: join(client.token_endpoint_url ?? ''),
      triggerUrl: join(trigger.url ?? trigger.uri ?? ''),
      triggerBody: trigger.body ?? '',
      basic: Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64'),
      accessToken: '',
      refreshToken: undefined,
    };
    await requestTokens(grant, { grant_type: 'authorization_code', code });
    grants.set(key, grant);
    for (const wake of arrivals.get(key) ?? []) wake();
    arrivals.delete(key);
  }

  async function requestTokens(grant: Grant, parameters: Record<string, string>): Promise<void> {
    const url = new URL(grant.tokenUrl);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Basic ${grant.basic}`, accept: 'application/json' },
      signal: AbortSignal.timeout(requestLimitMs),
    });
    if (!response.ok) throw new Refused(response.status === 400 ? 400 : 503, 'No tokens');
    const tokens = (await response.json()) as Record<string, string | undefined>;
    if (!tokens.access_token || tokens.token_type?.toLowerCase() !== 'bearer') {
      throw new Refused(502, 'No access token');
    }
    grant.accessToken = tokens.access_token;
    grant.refreshToken = tokens.refresh_token ?? grant.refreshToken;
  }

  /** One renewal for all that wait. */
  function renew(key: string, refused: string): Promise<void> {
    const grant = grants.get(key);
    if (!grant || grant.accessToken !== refused) return Promise.resolve();
    const running = renewals.get(key);
    if (running) return running;
    const started = refreshOrTrigger(key, grant).finally(() => renewals.delete(key));
    renewals.set(key, started);
    return started;
  }

  async function refreshOrTrigger(key: string, grant: Grant): Promise<void> {
    const { refreshToken } = grant;
    try {
      if (refreshToken === undefined) throw new Refused(400, 'No refresh token');
      await requestTokens(grant, { grant_type: 'refresh_token', refresh_token: refreshToken });
    } catch (error) {
      if (error instanceof Refused && error.status === 503) throw error;
      await trigger(key, grant);
    }
  }

  async function trigger(key: string, grant: Grant): Promise<void> {
    const arrived = new Promise<void>((resolve, reject) => {
      setTimeout(reject, triggerWaitMs, new Refused(503, 'No event came')).unref();
      arrivals.set(key, [...(arrivals.get(key) ?? []), resolve]);
    });
    arrived.catch(() => {});
    const response = await fetch(grant.triggerUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json;charset=UTF-8' },
      body: grant.triggerBody,
      signal: AbortSignal.timeout(requestLimitMs),
    });
    if (!response.ok) throw new Refused(503, 'The trigger was refused');
    await arrived;
  }

  async function notify(body: Claims): Promise<void> {
    const claims = await verify(String(body.initJwt));
    if (claims.sub !== 'init') throw new Refused(401, 'It is no page');
    const key = `${claims.iss} ${claims['ctx.tenantId']} ${body.pluginId}`;
    const call = () => callPlatform(key, body);
    const first = await call();
    if (first.status !== 401) return requireSuccess(first);
    await renew(key, first.usedToken);
    requireSuccess(await call());
  }

  async function callPlatform(
    key: string,
    { pluginId, instanceId, recipientId, message }: Claims,
  ): Promise<{ status: number; usedToken: string }> {
    const grant = grants.get(key);
    if (!grant) throw new Refused(404, 'Not installed');
    const usedToken = grant.accessToken;
    const response = await fetch(
      `${grant.baseUrl}/api/plugins/${pluginId}/instances/${instanceId}/notifications`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${usedToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ category: 'BIRTHDAY', recipientId, message }),
        signal: AbortSignal.timeout(requestLimitMs),
      },
    );
    await response.body?.cancel();
    return { status: response.status, usedToken };
  }

  async function route(request: IncomingMessage): Promise<[number, unknown]> {
    const path = (request.url ?? '').replace(/\?.*/s, '');
    if (path === '/manifest.json') return [200, manifestOf(origin)];
    const text = await readBody(request);
    if (path === '/api/notify') {
      await notify(parseBody(text));
      return [200, {}];
    }
    const event = path.slice('/events/'.length);
    if (!path.startsWith('/events/') || !events.includes(event))
      throw new Refused(404, 'Not found');
    const isJson = /json/.test(request.headers['content-type'] ?? '');
    const token = isJson ? parseBody(text).token : new URLSearchParams(text).get('token');
    if (typeof token !== 'string') throw new Refused(400, 'There is no token');
    await acceptEvent(event, await verify(token));
    return [201, {}];
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if ((request.url ?? '').startsWith('/page')) {
      response.setHeader('content-type', 'text/html');
      response.setHeader(
        'content-security-policy',
        `frame-ancestors ${is('page.framing') ? "'none'" : settings.trusts}`,
      );
      response.end('<!doctype html><title>Plain</title>');
      return;
    }
    const [status, body] = await route(request).catch((error: unknown): [number, unknown] => {
      const known = error instanceof Refused ? error : new Refused(503, 'Try again');
      return [known.status, { code: known.status, message: known.message }];
    });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

function requireSuccess({ status }: { status: number }): void {
  if (status >= 300) throw new Refused(502, `The platform answered ${status}`);
}

function parse(part: string): Claims {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims;
  } catch {
    throw new Refused(400, 'It is no JWT');
  }
}

function parseBody(text: string): Claims {
  try {
    return Object(JSON.parse(text)) as Claims;
  } catch {
    throw new Refused(400, 'It is no JSON');
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > maxBytes) throw new Refused(413, 'The body is too large');
  }
  return text;
}

function manifestOf(origin: string): object {
  const name = { en: 'Plain', de: 'Schlicht' };
  const lifecycle = events.filter((event) => event !== 'access_token');
  return {
    manifestVersion: '2.5.0',
    pluginVersion: '1.0.0',
    name,
    description: name,
    lifecycle: { url: `${origin}/events/`, events: lifecycle },
    apiAccess: {
      url: `${origin}/events/`,
      client: { mode: ['authorization_code'], scope: ['plugin:notify'] },
    },
    entryPoints: [
      {
        id: '5b7d1a90-2c64-4f0e-9a3d-0c1e2f3a4b5c',
        url: `${origin}/page`,
        name,
        description: name,
      },
    ],
  };
}
