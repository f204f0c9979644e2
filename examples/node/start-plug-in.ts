/** Starts an example as a process, and an emulated platform. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type RequestListener, request as sendRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createPlatform, type Platform } from '@dowel/emulator';
import { createFolder, originOf, startServer, stopServer } from './kit.ts';

export interface PlugIn extends AsyncDisposable {
  platform: Platform;
  /** The URL for the platform and browsers. */
  url: string;
  /** Installs it, places one widget, and opens a session of a user, like the platform and the page. */
  openSession(): Promise<{ fetch(path: string, init: RequestInit): Promise<Response> }>;
  /** Sends SIGTERM. Resolves with the exit code, or the signal that ended the process. */
  stop(): Promise<number | string>;
}

export interface PlugInOptions {
  /** The folder in `examples`. */
  example: string;
  /** The path at which the host application mounts the plug-in. Undefined: it runs alone. */
  base?: string | undefined;
  environment?: Record<string, string>;
}

/** The example's log line with its URL, or the host's. */
interface Started {
  url?: string;
  address?: { port: number };
}

/** Runs `node server.ts` in the example's folder, like its `npm start`. */
export async function startPlugIn({
  example,
  base,
  environment = {},
}: PlugInOptions): Promise<PlugIn> {
  const folder = await createFolder();
  const platformServer = await startServer();
  const platformUrl = originOf(platformServer);
  const platform = createPlatform({ origin: platformUrl });
  platformServer.on('request', platform.callback());
  // The public URL of a mounted plug-in is known before the host listens, as behind a reverse proxy.
  const front = await startServer();
  const publicUrl = `${originOf(front)}${base ?? ''}`;
  const child = spawn(process.execPath, ['server.ts'], {
    cwd: fileURLToPath(new URL(`../${example}/`, import.meta.url)),
    env: {
      DOWEL_TRUST: `${platform.origin}=${platform.origin}/certificates/`,
      DOWEL_DATA_DIR: folder.path,
      ...(base !== undefined && { DOWEL_PUBLIC_URL: publicUrl }),
      PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // One that hangs does not outlive its test for long.
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal);
  const stop = () => {
    child.kill('SIGTERM');
    return exited;
  };
  const dispose = async () => {
    await stop();
    platform.close();
    await Promise.all([stopServer(platformServer), stopServer(front)]);
    await folder[Symbol.asyncDispose]();
  };
  try {
    const { url = publicUrl, address } = await readStart(child);
    front.on('request', forwardTo(`http://127.0.0.1:${address?.port}`));
    const open = () => openPage(platform, url);
    return { platform, url, stop, openSession: open, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Resolves when the log says that the plug-in has started. */
async function readStart({ stdout, stderr }: ChildProcess): Promise<Started> {
  if (!stdout || !stderr) throw new TypeError('The output is not a pipe');
  const lines: string[] = [];
  createInterface(stderr).on('line', (line) => lines.push(line));
  for await (const line of createInterface(stdout)) {
    lines.push(line);
    const { msg, ...started } = JSON.parse(line) as Started & { msg: string };
    if (msg !== 'plugin.started') continue;
    stdout.resume();
    return started;
  }
  throw new Error(`The plug-in did not start:\n${lines.join('\n')}`);
}

function forwardTo(origin: string): RequestListener {
  return (request, response) => {
    const { url = '/', method, headers } = request;
    const onward = sendRequest(`${origin}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  };
}

async function openPage(platform: Platform, url: string) {
  const [tenant] = platform.tenants;
  const [user] = tenant?.users ?? [];
  if (!tenant || !user) throw new Error('The platform has no tenant with a user');
  const { tenantId } = tenant;
  const manifestUrl = `${url}/manifest.json`;
  const { pluginId, entryPoints } = await platform.install({ tenantId, manifestUrl });
  const entryPointId = entryPoints[0]?.id ?? '';
  const { instanceId } = await platform.addInstance({ tenantId, pluginId, entryPointId });
  const { userId } = user;
  const initJwt = await platform.createInitJwt({ userId, instanceId, jti: crypto.randomUUID() });
  const opened = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ initJwt, instanceId }),
  });
  if (!opened.ok) throw new Error(`No session: ${opened.status} ${await opened.text()}`);
  const { sessionToken } = (await opened.json()) as { sessionToken: string };
  return {
    fetch(path: string, init: RequestInit) {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${sessionToken}`);
      return fetch(`${url}${path}`, { ...init, headers });
    },
  };
}
