/** A server made by `createServer`, and a platform, for tests. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlatform, type Platform } from '@dowel/emulator';
import { keyedSnapshot } from '@dowel/emulator/testing';
import { createDatabaseFile } from '@dowel/installation-store/testing';
import { type Manifest, manifestSchema } from '@dowel/schema';
import { createServer } from '../create-server.ts';
import type { Observation } from '../observation.ts';
import type { CommonOptions, Server, ServerOptions } from '../server-options.ts';
import { closeHost, listenOnLoopback } from './loopback.ts';
import { openSession } from './open-session.ts';

export interface LogLine {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

export interface ServerWorld extends AsyncDisposable {
  platform: Platform;
  tenantId: string;
  issuer: string;
  userId: string;
  folder: string;
  lines: LogLine[];
  observations: Observation[];
  /** The options of `createServer` in this world, without a plug-in. */
  common: CommonOptions;
  /** Further servers, closed with the world. Default: with the sample plug-in. */
  create(changes?: Partial<ServerOptions>): Server;
}

/**
 * Environment for tests of the stop with clients. The server listens long enough for each client to send once
 * more, and waits for work under way, also on a busy machine.
 */
export const calmStop = { DOWEL_DRAIN_MS: '3000', DOWEL_STOP_GRACE_MS: '600000' };

const manifestUrl = new URL('../../../../manifest.json', import.meta.url);

export async function readSampleManifest(): Promise<Manifest> {
  return manifestSchema.parse(JSON.parse(await readFile(manifestUrl, 'utf8')));
}

/** Starts the platform and creates a folder for the database. */
export async function startServerWorld(): Promise<ServerWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-server-'));
  // A pooled connection must not meet a closing socket.
  const host = createHttpServer({ keepAliveTimeout: 120_000 });
  const origin = await listenOnLoopback(host);
  const platform = createPlatform({ origin, snapshot: keyedSnapshot(origin), resendDelaysMs: [1] });
  host.on('request', platform.callback());
  const [tenant] = platform.tenants;
  const lines: LogLine[] = [];
  const observations: Observation[] = [];
  const servers: Server[] = [];
  const manifest = await readSampleManifest();
  const common: CommonOptions = {
    trust: `${origin}=${origin}/certificates/`,
    database: { path: await createDatabaseFile(folder) },
    // There is no balancer to wait for. Tests of the stop use `calmStop`.
    environment: { DOWEL_DRAIN_MS: '0' },
    port: 0,
    log: createMemoryLog(lines),
    observe: (observation) => observations.push(observation),
  };
  return {
    platform,
    tenantId: tenant?.tenantId ?? '',
    issuer: tenant?.baseUrl ?? '',
    userId: tenant?.users[0]?.userId ?? '',
    folder,
    lines,
    observations,
    common,
    create(changes = {}) {
      const plugin = 'plugins' in changes ? {} : { manifest };
      const server = createServer({ ...plugin, ...common, ...changes } as ServerOptions);
      servers.push(server);
      return server;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.close()));
      platform.close();
      await closeHost(host);
      await rm(folder, { recursive: true });
    },
  };
}

function createMemoryLog(lines: LogLine[]) {
  const write =
    (level: string) =>
    (...[first, second]: [object | string, string?]) => {
      const fields = typeof first === 'object' ? (first as Record<string, unknown>) : {};
      lines.push({ level, fields, message: typeof first === 'string' ? first : (second ?? '') });
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

/** Installs the plug-in as the platform does, with one placed widget. */
export async function installAt(world: ServerWorld, url: string) {
  const { platform, tenantId } = world;
  const manifestUrl = `${url}/manifest.json`;
  const { pluginId, entryPoints } = await platform.install({ tenantId, manifestUrl });
  const entryPointId = entryPoints[0]?.id ?? '';
  const { instanceId } = await platform.addInstance({ tenantId, pluginId, entryPointId });
  return { pluginId, instanceId };
}

/** Opens a session at this server with an init JWT of the platform. */
export async function openSessionAt(
  world: ServerWorld,
  url: string,
  instanceId: string,
  jti: string = crypto.randomUUID(),
) {
  const post = await createSessionRequest(world, url, { instanceId, jti });
  const response = await post();
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code };
}

/** @throws Error with the answer, if no session was opened */
export async function sessionTokenAt(
  world: ServerWorld,
  url: string,
  instanceId: string,
): Promise<string> {
  const jti = crypto.randomUUID();
  return openSession(await createSessionRequest(world, url, { instanceId, jti }));
}

async function createSessionRequest(
  { platform, userId }: ServerWorld,
  url: string,
  { instanceId, jti }: { instanceId: string; jti: string },
): Promise<() => Promise<Response>> {
  const initJwt = await platform.createInitJwt({ userId, instanceId, jti });
  return () =>
    fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ initJwt, instanceId }),
    });
}
