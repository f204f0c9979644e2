/** The server at the public URL of the plug-in: the page by Vite, everything else by the author's back end. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkTarget } from '@dowel/http';
import type { BackEnd } from '../back-end/back-end.ts';
import { DevError } from '../dev-error.ts';
import { forward } from './forward.ts';
import { forwardUpgrade } from './forward-upgrade.ts';
import type { Page } from './page.ts';

export interface Front {
  server: Server;
  /** The public URL, without a slash at its end. */
  url: string;
  close(): Promise<void>;
}

/** A pooled connection must not meet a closing socket. Node's default is 5 s. */
const keepAliveMs = 120_000;

/**
 * Listens at the port; 0 is any free one. Requests wait until `answerWith` was called.
 *
 * @throws DevError when the port cannot be used
 */
export async function openFront(port: number): Promise<Front & { answerWith(parts: Parts): void }> {
  const parts = Promise.withResolvers<Parts>();
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    const problem = checkTarget(request);
    if (problem) {
      response.writeHead(400, { Connection: 'close' }).end(problem.message);
      return;
    }
    void parts.promise
      .then(async ({ backEnd, page }) => {
        const listener = (await page)?.listenerOf(request);
        if (listener) listener(request, response);
        else await forward(backEnd, request, response);
      })
      // The page cannot be opened: the start says why, and ends.
      .catch(() => response.destroy());
  });
  let openedPage: Page | undefined;
  void parts.promise
    .then(({ page }) => page)
    .then(
      (page) => {
        openedPage = page;
      },
      () => {},
    );
  server.on('upgrade', (request, socket, head) => {
    if (checkTarget(request)) return socket.destroy();
    // Vite listens to the server itself.
    if (openedPage?.listenerOf(request)) return;
    void parts.promise
      .then(async ({ backEnd, page }) => {
        // It came before Vite listened. Vite's client tries again.
        if ((await page)?.listenerOf(request)) socket.destroy();
        else await forwardUpgrade(backEnd, request, { socket, head });
      })
      .catch(() => socket.destroy());
  });
  await listen(server, port);
  return {
    server,
    url: new URL(`http://localhost:${(server.address() as AddressInfo).port}`).origin,
    answerWith: parts.resolve,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export interface Parts {
  backEnd: Pick<BackEnd, 'port'>;
  /** Undefined: the folder has no page for Vite. */
  page: Promise<Page | undefined>;
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    server.listen(port, 'localhost');
    await once(server, 'listening');
  } catch (cause) {
    throw new DevError(describeListenFailure(port, cause as NodeJS.ErrnoException), { cause });
  }
}

function describeListenFailure(port: number, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use. Choose another one: dowel dev --port PORT.`;
  if (code === 'EACCES')
    return `Port ${port} may not be used. Choose another one: dowel dev --port PORT.`;
  return `Port ${port} cannot be used: ${message}`;
}
