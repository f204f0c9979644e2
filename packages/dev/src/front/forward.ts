/** Passes a request on to the author's back end, which may be starting. */
import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { BackEnd } from '../back-end/back-end.ts';

/** Below the 30 s of the platform, so that an event gets an answer. */
const patienceMs = 25_000;

/** Waits while the back end starts. A request whose sender has gone meanwhile is dropped: it may be sent again. */
export async function forward(
  backEnd: Pick<BackEnd, 'port'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(patienceMs)]);
  while (!gone.signal.aborted) {
    const port = await backEnd.port(signal);
    if (gone.signal.aborted) return;
    if (port === undefined) return refuse(request, response);
    if (await isSent(port, { request, response, signal: gone.signal })) return;
    // It stopped listening before it got the request.
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  signal: AbortSignal;
}

/** Resolves with false when there was no connection, so nothing was sent. */
function isSent(port: number, { request, response, signal }: Exchange): Promise<boolean> {
  return new Promise((resolve) => {
    let isConnected = false;
    const { method, url, headers } = request;
    const onward = sendRequest({
      host: 'localhost',
      port,
      method,
      path: url,
      headers,
      signal,
      agent: false,
    });
    onward.once('socket', (socket) =>
      socket.once('connect', () => {
        isConnected = true;
        request.pipe(onward);
      }),
    );
    onward.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.headers);
      answer.pipe(response);
      answer.once('error', () => response.destroy());
      resolve(true);
    });
    onward.once('error', () => {
      if (isConnected && !response.headersSent) refuse(request, response, 502);
      if (isConnected && !response.writableEnded) response.destroy();
      resolve(isConnected);
    });
  });
}

/** Any page may read why: in the platform's frame a page has no origin. */
function refuse(request: IncomingMessage, response: ServerResponse, status = 503): void {
  const cors = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': '*',
    'Access-Control-Allow-Headers': request.headers['access-control-request-headers'] ?? '*',
  };
  if (request.method === 'OPTIONS') {
    response.writeHead(204, cors).end();
    return;
  }
  const message =
    status === 503
      ? 'The back end does not run: dowel dev says why'
      : 'The back end ended before it answered';
  const headers = { ...cors, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  response.writeHead(status, headers).end(JSON.stringify({ code: 'DEV_SERVER_DOWN', message }));
}
