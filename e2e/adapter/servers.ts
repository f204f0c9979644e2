/** The servers of the battery: one per role, each with its own origin, all on loopback. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scripts } from './bundle-pages.ts';
import { createKeys } from './key-host.ts';
import type { World } from './world.ts';

export interface Servers extends AsyncDisposable {
  world: World;
  /** Paths requested from the untrusted host. */
  strangerKeyRequests: string[];
}

/** Pages by path, with the scripts that they load. */
const pages: Record<string, string> = {
  '/runner.html': 'runner',
  '/host.html': 'host',
  '/attacker.html': 'attacker',
  '/leak-host.html': 'leak',
  '/leak.html': 'leak',
  '/heights-host.html': 'heights',
  '/heights.html': 'heights',
  '/worker.html': 'worker',
};

/** Makes every frame visible, because the browser measures only visible frames. */
const frameStyle = `<style>
  body { margin: 0 }
  iframe { position: fixed; inset: 0; width: 100%; height: 200px; border: 0 }
</style>`;

export async function startServers(scripts: Scripts): Promise<Servers> {
  const servers: Server[] = [];
  const strangerKeyRequests: string[] = [];
  const { answer, ...keys } = await createKeys();
  const world = { ...keys, origins: {} } as World;

  async function listen(hostname: string, listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://${hostname}:${(server.address() as AddressInfo).port}`;
  }

  const servePages = createPageListener(world, scripts);
  const tenant = await listen('acme.localhost', servePages);
  const plugin = await listen('plugin.acme.localhost', servePages);
  world.origins = {
    tenant,
    // No program gets a port this low by chance, so nothing listens there.
    offlineKeys: 'http://127.0.0.1:2',
    insecure: tenant.replace('acme.localhost', 'insecure.test'),
    stranger: await listen('127.0.0.1', servePages),
    plugin,
    farPlugin: plugin.replace('plugin.acme.localhost', 'localhost'),
    keys: await listen('127.0.0.1', answer),
    slowKeys: await listen('127.0.0.1', answer),
    strangerKeys: await listen('127.0.0.1', (request, response) => {
      strangerKeyRequests.push(request.url ?? '');
      answer(request, response);
    }),
  };
  return {
    world,
    strangerKeyRequests,
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function createPageListener(world: World, { files, integrity }: Scripts): RequestListener {
  return (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://page');
    const script = files.get(pathname);
    response.setHeader('access-control-allow-origin', '*');
    if (script !== undefined) {
      response.setHeader('content-type', 'text/javascript');
      response.setHeader('cache-control', 'max-age=600');
      return response.end(script);
    }
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (pages[pathname]) {
      return response.end(html(world, `${frameStyle}${scriptTag(`/${pages[pathname]}.js`)}`));
    }
    if (pathname !== '/plugin.html') return response.writeHead(404).end();
    const policy = policies(world)[searchParams.get('csp') ?? ''];
    if (policy) response.setHeader('content-security-policy', policy);
    const hash = { right: integrity, wrong: `sha384-${'A'.repeat(64)}` }[
      searchParams.get('integrity') ?? ''
    ];
    return response.end(
      html(
        world,
        hash
          ? `${scriptTag('/loader.js')}${adapterTag(hash, integrity)}`
          : scriptTag(`/${searchParams.get('adapter')}.js`),
      ),
    );
  };
}

function policies({
  origins: { plugin, farPlugin, keys, slowKeys },
}: World): Record<string, string> {
  const frame = `default-src 'none'; script-src ${plugin} ${farPlugin}; base-uri 'none'; form-action 'none'`;
  return {
    strict: `${frame}; connect-src ${keys} ${slowKeys}; require-trusted-types-for 'script'; trusted-types 'none'`,
    'no-keys': `${frame}; connect-src ${plugin}`,
  };
}

/**
 * A file with a wrong hash has its own address, because Chromium then refuses that address to other
 * pages, too.
 */
function adapterTag(hash: string, integrity: string): string {
  const path = hash === integrity ? '/dowel-adapter.js' : '/dowel-adapter.js?wrong';
  return scriptTag(path, `id="adapter" integrity="${hash}"`);
}

function scriptTag(path: string, attributes = ''): string {
  return `<script type="module" crossorigin src="${path}" ${attributes}></script>`;
}

function html(world: World, scripts: string): string {
  const data = JSON.stringify(world).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Battery</title>
<body>
<script type="application/json" id="world">${data}</script>
${scripts}
`;
}
