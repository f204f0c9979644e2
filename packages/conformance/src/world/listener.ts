/** Where a world gets its requests: from a server of its own, or from one that listens at its origin already. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkTarget } from '@dowel/http';
import { DoctorError } from '../doctor-error.ts';

/**
 * Lets the world see each request first. Its function answers, or returns false: the request is for somebody else.
 * Returns what ends that.
 */
type Mount = (
  answer: (request: IncomingMessage, response: ServerResponse) => boolean,
) => () => void;

export interface ListenerOptions {
  /** Where the back end finds the platform. Its port may be 0: any free one. */
  origin: string;
  /** Where this process listens. Default: the port of `origin`, on loopback. */
  listen?: { host: string; port: number } | undefined;
  /** Of a server that listens at `origin`, in place of an own one. */
  mount?: Mount | undefined;
}

export interface Listener {
  readonly origin: string;
  readonly port: number;
  /** @param mark is in each path of the world, so a mounted world leaves other paths to the server. */
  answerWith(
    answer: (request: IncomingMessage, response: ServerResponse) => void,
    mark: string,
  ): void;
  close(): void;
}

/** A back end's pooled connection must not meet a closing socket. */
const keepAliveMs = 120_000;

/** @throws DoctorError `OPTION_INVALID`, `PORT_TAKEN` */
export async function openListener({ origin, listen, mount }: ListenerOptions): Promise<Listener> {
  const url = parseOrigin(origin);
  if (mount) return openMounted(url, mount);
  const server = createServer();
  server.keepAliveTimeout = keepAliveMs;
  const bound = await bind(server, listen ?? addressOf(url));
  if (url.port === '0') url.port = String(bound);
  return {
    origin: url.origin,
    port: bound,
    answerWith(answer) {
      server.on('request', (request, response) => {
        const problem = checkTarget(request);
        if (problem) response.writeHead(400, { connection: 'close' }).end(problem.message);
        else answer(request, response);
      });
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function openMounted(url: URL, mount: Mount): Listener {
  let close = () => {};
  return {
    origin: url.origin,
    port: portOf(url),
    answerWith(answer, mark) {
      close = mount((request, response) => {
        const isOwn = request.url?.includes(mark) ?? false;
        if (isOwn) answer(request, response);
        return isOwn;
      });
    },
    close: () => close(),
  };
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function parseOrigin(text: string): URL {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new DoctorError('OPTION_INVALID', 'The origin must be an http(s) URL.');
}

/** @throws DoctorError `OPTION_INVALID`: this process speaks HTTP only */
function addressOf(url: URL): { host: string; port: number } {
  const host = url.hostname === '[::1]' ? '::1' : '127.0.0.1';
  if (url.protocol === 'http:') return { host, port: portOf(url) };
  const message = `For ${url.origin} also give --listen HOST:PORT, where requests arrive here by HTTP.`;
  throw new DoctorError('OPTION_INVALID', message);
}

/** Resolves with the port. @throws DoctorError `PORT_TAKEN`, `OPTION_INVALID` */
function bind(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const isTaken = cause.code === 'EADDRINUSE';
      const message = isTaken
        ? `Port ${port} is taken. Stop the emulator that listens there, or examine the back end on its page Plug-ins, or name another --origin that your back end trusts.`
        : `The doctor cannot listen there: ${cause.message}. Name another place by --listen.`;
      reject(new DoctorError(isTaken ? 'PORT_TAKEN' : 'OPTION_INVALID', message, { cause }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}
