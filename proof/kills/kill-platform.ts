/**
 * The emulated platform on a real socket, behind a counter that reads every request it gets and can
 * hold it. Events go to the process of a plug-in that runs, and are sent again until one answers.
 */
import { readFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPlatform, type Platform } from '@dowel/emulator';
import { keyedSnapshot } from '@dowel/emulator/testing';
import { PlatformRecords } from './platform-records.ts';

/** A plug-in's back end: one address for all its processes. */
interface Receiver {
  /** The URL of a running process. Waits for the next process if the platform would send the event again. */
  locate(event: string): Promise<string>;
  /** Whether the platform delivers an unanswered event again. */
  redelivers(event: string): boolean;
  /** Whether the platform treats an unanswered event as accepted. */
  forgives(): boolean;
}

export interface SeenRequest {
  kind: 'code' | 'refresh' | 'trigger' | 'call' | 'other';
  path: string;
  /** The presented code or refresh token. */
  secret: string;
  body: string;
}

export interface KillPlatform extends AsyncDisposable {
  platform: Platform;
  url: string;
  tenantId: string;
  records: PlatformRecords;
  /** Returns the URL of the manifest to install. */
  addReceiver(receiver: Receiver): string;
  /** Whether a call with this access token is answered 401. */
  isRefused(pluginId: string, accessToken: string): Promise<boolean>;
  /** Awaited before the platform handles each request. */
  beforeRequest: (seen: SeenRequest) => Promise<unknown>;
}

const manifestUrl = new URL('../../manifest.json', import.meta.url);
const retryPauseMs = 500;
const answerTimeoutMs = 30_000;

interface Delivery {
  readonly manifestText: string;
  /** The back ends by the host of the plug-in's URL. */
  readonly receivers: Map<string, Receiver>;
  readonly records: PlatformRecords;
}

export async function startKillPlatform(): Promise<KillPlatform> {
  const manifestText = await readFile(manifestUrl, 'utf8');
  const delivery: Delivery = { manifestText, receivers: new Map(), records: new PlatformRecords() };
  const { receivers, records } = delivery;
  // A pooled connection must not meet a closing socket.
  const keepAliveTimeout = 120_000;
  const emulator = createServer({ keepAliveTimeout });
  const front = createServer({ keepAliveTimeout });
  const emulatorPort = await listen(emulator);
  const url = `http://127.0.0.1:${await listen(front)}`;
  const platform = createPlatform({
    origin: url,
    snapshot: keyedSnapshot(url),
    timeoutMs: 10 * 60_000,
    resendDelaysMs: [],
    fetch: ((input: URL, init) => deliver(delivery, input, init)) as typeof fetch,
  });
  emulator.on('request', platform.callback());
  const [tenant] = platform.tenants;
  if (!tenant) throw new Error('The platform has no tenant');
  const { tenantId, baseUrl } = tenant;

  const killPlatform: KillPlatform = {
    platform,
    url,
    tenantId,
    records,
    beforeRequest: async () => {},
    addReceiver(receiver) {
      const host = `plugin-${receivers.size + 1}.test`;
      receivers.set(host, receiver);
      return `http://${host}/manifest.json`;
    },
    isRefused: (pluginId, accessToken) => isRefused(baseUrl, pluginId, accessToken),
    async [Symbol.asyncDispose]() {
      platform.close();
      for (const server of [front, emulator]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
  front.on('request', (incoming, outgoing) =>
    handOn(killPlatform, { incoming, outgoing, emulatorPort }),
  );
  return killPlatform;
}

/** Sends an event until a process answers, if the platform would. */
async function deliver(
  { manifestText, receivers, records }: Delivery,
  input: URL,
  init: RequestInit = {},
): Promise<Response> {
  const { hostname, pathname } = new URL(input);
  if (pathname === '/manifest.json') {
    return new Response(manifestText, { headers: { 'content-type': 'application/json' } });
  }
  const receiver = receivers.get(hostname);
  if (!receiver) throw new Error(`Nobody receives events at ${hostname}`);
  const body = String(init.body);
  const event = pathname.replace('/lifecycle/', '');
  const comesAgain = receiver.redelivers(event);
  const isForgiven = receiver.forgives();
  for (;;) {
    const url = await receiver.locate(event).catch(() => undefined);
    const answer = url && (await post(url, pathname, body));
    // 503 and 429 are not final; the event is sent again.
    if (answer && answer.status < 500 && answer.status !== 429) {
      records.addAnswer(body, answer.status);
      return answer;
    }
    if (!answer && !comesAgain) {
      if (isForgiven) return Response.json({}, { status: 201 });
      throw new Error('Nobody answered');
    }
    await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
  }
}

async function isRefused(baseUrl: string, pluginId: string, accessToken: string): Promise<boolean> {
  const path = `/api/plugins/${pluginId}/instances/unknown/notifications`;
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers });
  await response.body?.cancel();
  return response.status === 401;
}

interface Handing {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  emulatorPort: number;
}

/** Counts a request of the plug-in, and hands it on to the emulator when it may go. */
async function handOn(
  killPlatform: KillPlatform,
  { incoming, outgoing, emulatorPort }: Handing,
): Promise<void> {
  try {
    const body = Buffer.concat(await incoming.toArray());
    const seen = describe(incoming, body.toString());
    killPlatform.records.addRequest(seen);
    await killPlatform.beforeRequest(seen);
    const answer = await forward(incoming, body, emulatorPort);
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  } catch {
    outgoing.destroy();
  }
}

/** Undefined when no answer came, or only a part of one. */
async function post(url: string, path: string, body: string): Promise<Response | undefined> {
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    const { status, headers } = response;
    return new Response(await response.text(), { status, headers });
  } catch {
    return undefined;
  }
}

function describe({ url = '' }: IncomingMessage, body: string): SeenRequest {
  const { pathname, searchParams } = new URL(url, 'http://platform');
  const refreshToken = searchParams.get('refresh_token');
  const code = searchParams.get('code');
  const secret = refreshToken ?? code ?? '';
  const seen = { path: pathname, secret, body };
  if (refreshToken) return { kind: 'refresh', ...seen };
  if (code) return { kind: 'code', ...seen };
  if (pathname.includes('/access_token/')) return { kind: 'trigger', ...seen };
  return { kind: pathname.endsWith('/notifications') ? 'call' : 'other', ...seen };
}

function forward(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  port: number,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path: url, headers }, resolve);
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
