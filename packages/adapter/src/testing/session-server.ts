/** For tests only: a back end that opens sessions and answers requests. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { startServer, type TestServer } from './test-host.ts';

export interface SessionServer {
  server: TestServer;
  /** The init tokens that the back end received to open sessions. */
  opened: { initJwt: string; instanceId: string; headers: IncomingHttpHeaders }[];
  /** The other requests. */
  calls: {
    method: string | undefined;
    path: string | undefined;
    headers: IncomingHttpHeaders;
    body: string;
  }[];
  /** Bearers that the back end refuses. */
  ended: Set<string>;
}

/** @param refusal answers requests for a session instead of the back end; read for each of them */
export async function startSessionServer(
  refusal: () => ((response: ServerResponse) => void) | undefined,
): Promise<SessionServer> {
  const opened: SessionServer['opened'] = [];
  const calls: SessionServer['calls'] = [];
  const ended = new Set<string>();
  const server = await startServer(async (request, response) => {
    const { method, url: path, headers } = request;
    if (path === '/api/session') {
      const { initJwt, instanceId } = (await json(request)) as SessionServer['opened'][0];
      opened.push({ initJwt, instanceId, headers });
      const refuse = refusal();
      if (refuse) refuse(response);
      else response.end(`{"sessionToken":"session-${opened.length}","expiresAt":1}`);
    } else {
      calls.push({ method, path, headers, body: await text(request) });
      const isOver = ended.has(headers.authorization?.replace('Bearer ', '') ?? '');
      response.writeHead(isOver ? 401 : 200).end(`answer ${calls.length}`);
    }
  });
  return { server, opened, calls, ended };
}
