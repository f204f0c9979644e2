/** A platform and one plug-in, both on real sockets, with the calls that a plug-in makes. */
import { createServer } from 'node:http';
import { joinPlatformUrl, type TokenResponsePayload } from '@dowel/schema';
import type { Instance } from '../control-api.ts';
import type { InstallationKey } from '../event-operations.ts';
import { createPlatform, type Platform, type PlatformOptions } from '../platform.ts';
import { parseSnapshot } from '../snapshot.ts';
import { keyedSnapshot } from './keyed-snapshot.ts';
import { listen } from './listen.ts';
import { entryPointId, startPlugin, type TestPlugin } from './start-plugin.ts';

export const acme = '3f0c2a52-9d0b-4a57-8a3e-5d1b6c7e8f01';
export const mara = 'a1b5c0de-1c1f-4d0a-9c55-0a6d2f3b4c01';
export const priya = 'a1b5c0de-1c1f-4d0a-9c55-0a6d2f3b4c03';
/** A user of Globex, the other tenant. */
export const helen = 'b2c6d1ef-2d20-4e1b-8d66-1b7e3a4c5d01';

export interface World extends AsyncDisposable {
  platform: Platform;
  plugin: TestPlugin;
  /** Replaces this platform by another one, started from the JSON of its snapshot. */
  restart(): void;
  /** Installs the plug-in in Acme; resolves with its id. */
  install(): Promise<string>;
  /** Installs the plug-in in Acme and places a widget. */
  place(): Promise<Placed>;
  requestTokens(parameters: Record<string, string>, basic?: string): Promise<TokenAnswer>;
  /** Exchanges the code of the latest access_token event. */
  exchange(): Promise<TokenAnswer>;
  refresh(refreshToken: string | undefined): Promise<TokenAnswer>;
  notify(accessToken: string, path: NotificationPath, body?: object): Promise<Response>;
  /** Sends the trigger of the latest access_token event. */
  trigger(change?: { path?: string; body?: string }): Promise<Response>;
}

export interface TokenAnswer {
  status: number;
  headers: Headers;
  body: TokenResponsePayload & { error?: string };
}

interface NotificationPath {
  pluginId: string;
  instanceId: string;
}

interface Placed {
  key: InstallationKey;
  path: InstallationKey & NotificationPath;
  instance: Instance;
}

/** Starts the platform and the plug-in on free ports. */
export async function startWorld(options: Partial<PlatformOptions> = {}): Promise<World> {
  const server = createServer();
  const { origin, stop } = await listen(server);
  const plugin = await startPlugin();
  const start = (snapshot = options.snapshot ?? keyedSnapshot(origin)) => {
    const platform = createPlatform({
      origin,
      resendDelaysMs: [1, 1],
      ...options,
      snapshot,
    });
    server.on('request', platform.callback());
    return platform;
  };

  const world: World = {
    platform: start(),
    plugin,
    restart() {
      const json = JSON.stringify(world.platform.snapshot());
      world.platform.close();
      server.removeAllListeners('request');
      world.platform = start(parseSnapshot(json, origin));
    },
    async install() {
      const { manifestUrl } = plugin;
      return (await world.platform.install({ tenantId: acme, manifestUrl })).pluginId;
    },
    async place() {
      const key = { tenantId: acme, pluginId: await world.install() };
      const instance = await world.platform.addInstance({ ...key, entryPointId });
      return { key, instance, path: { ...key, instanceId: instance.instanceId } };
    },
    ...createCalls(plugin, origin),
    async [Symbol.asyncDispose]() {
      world.platform.close();
      await Promise.all([stop(), plugin[Symbol.asyncDispose]()]);
    },
  };
  return world;
}

type Calls = Pick<World, 'requestTokens' | 'exchange' | 'refresh' | 'notify' | 'trigger'>;

function createCalls(plugin: TestPlugin, origin: string): Calls {
  const requestTokens: Calls['requestTokens'] = async (parameters, basic = basicOf(plugin)) => {
    const query = new URLSearchParams(parameters).toString();
    const response = await fetch(`${origin}/t/acme/api/oauth/token?${query}`, {
      method: 'POST',
      headers: { authorization: basic },
    });
    return readTokenAnswer(response);
  };
  return {
    requestTokens,
    exchange() {
      const code = plugin.client().authorization_code;
      return requestTokens({ grant_type: 'authorization_code', code });
    },
    refresh: (refreshToken = '') =>
      requestTokens({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    notify(accessToken, { pluginId, instanceId }, body = { recipientId: mara, message: 'Hi' }) {
      const path = `t/acme/api/plugins/${pluginId}/instances/${instanceId}/notifications`;
      return fetch(`${origin}/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    },
    trigger(change) {
      const { url: path = '', body = '' } = plugin.client().trigger_event ?? {};
      const request = { path, body, ...change };
      return fetch(joinPlatformUrl(`${origin}/t/acme`, request.path), {
        method: 'POST',
        headers: { 'content-type': 'application/json;charset=UTF-8' },
        body: request.body,
      });
    },
  };
}

export function basicOf(plugin: TestPlugin, secret = plugin.client().client_secret): string {
  const credentials = `${plugin.client().client_id}:${secret}`;
  return `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`;
}

export async function readTokenAnswer(response: Response): Promise<TokenAnswer> {
  const body = (await response.json()) as TokenAnswer['body'];
  return { status: response.status, headers: response.headers, body };
}
