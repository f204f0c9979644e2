/**
 * Three origins on loopback: the host's page, the frames, and the platform's key. Host and frames are
 * different sites, and so different processes, as in production.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

export interface HandshakeServers {
  hostAddress: string;
  frameAddress: string;
  keyAddress: string;
  /** Number of requests for the key. */
  keyDownloads: () => number;
  close: () => Promise<void>;
}

/** Both pages are isolated, because only then browsers measure microseconds. */
const isolation = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
};

/** @param entry relative to this folder @returns one minified module */
async function bundleModule(entry: string): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(entry, import.meta.url)),
    platform: 'browser',
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    codeSplitting: false,
  });
  await bundle.close();
  return output[0].code;
}

export async function startServers(keyDocument: object): Promise<HandshakeServers> {
  const [host, frame] = await Promise.all([
    servePage(await bundleModule('handshake/host.ts')),
    servePage(await bundleModule('handshake/frame.ts')),
  ]);
  let downloads = 0;
  const keys = await listen(
    createServer((_request, response) => {
      downloads += 1;
      // Connections are closed, so that no page profits from a connection of an earlier page.
      const headers = { 'cache-control': 'no-store', connection: 'close' };
      response.writeHead(200, {
        ...isolation,
        ...headers,
        'access-control-allow-origin': '*',
        'content-type': 'application/json',
      });
      response.end(JSON.stringify(keyDocument));
    }),
  );
  const servers = [host, frame, keys];
  return {
    hostAddress: addressOf(host, 'localhost'),
    frameAddress: addressOf(frame),
    keyAddress: `${addressOf(keys)}key.json`,
    keyDownloads: () => downloads,
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

const page =
  '<!doctype html><meta charset="utf-8"><title>Handshake</title><link rel="icon" href="data:,"><body><script type="module" src="page.js"></script>';

/**
 * A page and its script. The hint of our published file makes the browser compile all contenders' functions as it
 * loads.
 */
function servePage(script: string): Promise<Server> {
  return listen(
    createServer(({ url }, response) => {
      const [type, text] =
        url === '/page.js'
          ? ['text/javascript', `//# allFunctionsCalledOnLoad\n${script}`]
          : ['text/html', page];
      response.writeHead(200, { ...isolation, 'content-type': type });
      response.end(text);
    }),
  );
}

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function addressOf(server: Server, host = '127.0.0.1'): string {
  return `http://${host}:${(server.address() as AddressInfo).port}/`;
}
