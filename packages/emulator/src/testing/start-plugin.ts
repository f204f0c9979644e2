/** A small plug-in back end on a real socket: it accepts only JWTs that the platform's key signed. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AccessTokenEventPayload, LifecycleEventName, Manifest } from '@dowel/schema';
import { compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { listen } from './listen.ts';

interface ReceivedEvent {
  event: string;
  contentType: string | undefined;
  header: Record<string, unknown>;
  claims: Record<string, unknown> & Pick<AccessTokenEventPayload, 'client'>;
}

export interface TestPlugin extends AsyncDisposable {
  manifestUrl: string;
  /** Served unchanged, so that a test can break it. */
  manifest: Manifest & Record<string, unknown>;
  /** Awaited before the manifest is served. */
  beforeManifest?: () => Promise<void>;
  events: ReceivedEvent[];
  /** Answers that replace 201 `{}`. */
  answers: Partial<Record<LifecycleEventName, (response: ServerResponse) => void>>;
  /** The `client` of the latest access_token event. */
  client(): AccessTokenEventPayload['client'];
}

export const entryPointId = '6f1c4b1e-6f0b-4c39-9a3e-2f3a4ad0c0de';

/** Starts the plug-in on a free port. */
export async function startPlugin(): Promise<TestPlugin> {
  const server = createServer();
  const { origin, stop } = await listen(server);
  const plugin: TestPlugin = {
    manifestUrl: `${origin}/nested/manifest.json`,
    manifest: sampleManifest(),
    events: [],
    answers: {},
    client() {
      const latest = plugin.events.findLast(({ event }) => event === 'access_token');
      if (!latest) throw new Error('No access_token event came');
      return latest.claims.client;
    },
    [Symbol.asyncDispose]: stop,
  };
  server.on('request', (request, response) => void answer(plugin, request, response));
  return plugin;
}

async function answer(
  plugin: TestPlugin,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    await plugin.beforeManifest?.();
    return sendJson(response, 200, plugin.manifest);
  }
  const event = request.url?.replace('/nested/lifecycle/', '') as LifecycleEventName;
  const contentType = request.headers['content-type'];
  const eventJwt = readToken(contentType, await text(request));
  try {
    const { header, claims } = await verify(eventJwt);
    plugin.events.push({ event, contentType, header, claims });
  } catch {
    return sendJson(response, 401, { code: 401, message: 'It is not from the platform' });
  }
  const special = plugin.answers[event];
  return special ? special(response) : sendJson(response, 201, {});
}

async function verify(eventJwt: string): Promise<Pick<ReceivedEvent, 'header' | 'claims'>> {
  const header = decodeProtectedHeader(eventJwt);
  const keyDocument = (await (await fetch(String(header.jku))).json()) as { key: JWK };
  const { payload } = await compactVerify(eventJwt, await importJWK(keyDocument.key));
  const claims = JSON.parse(new TextDecoder().decode(payload)) as ReceivedEvent['claims'];
  return { header: { ...header }, claims };
}

function readToken(contentType: string | undefined, body: string): string {
  if (contentType !== 'application/json') return new URLSearchParams(body).get('token') ?? '';
  return (JSON.parse(body) as { token: string }).token;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sampleManifest(): TestPlugin['manifest'] {
  return {
    manifestVersion: '2.5.0',
    pluginVersion: '1.0.0',
    name: { en: 'Nudge', de: 'Anstupser' },
    description: { en: 'Notify a colleague.' },
    context: ['userName', 'userLanguage'],
    lifecycle: {
      url: 'lifecycle',
      events: ['install', 'uninstall', 'instance_add', 'instance_remove'],
    },
    apiAccess: {
      url: 'lifecycle/',
      client: { mode: ['authorization_code'], scope: ['plugin:notify'] },
    },
    entryPoints: [
      { id: entryPointId, url: '../plugin/?view=1', name: { en: 'Nudge' }, description: {} },
    ],
  };
}
