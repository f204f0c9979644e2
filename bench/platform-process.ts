/**
 * The platform of the benchmarks, a process of its own: an API behind the emulator's strict authorization
 * server, one for each {@link Run}. Its parent opens runs, ends access tokens and reads counts.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTokenRequest } from '@dowel/emulator/authorization-server';
import { answerParent } from './child-process.ts';
import {
  accepts,
  expire,
  type IssuedTokens,
  issueFirstTokens,
  openRun,
  type Run,
  refresh,
} from './platform-run.ts';

export interface Counts {
  refreshes: number;
  triggers: number;
}

export interface PlatformCommands {
  open(lifetimeSeconds?: number): { run: number; baseUrl: string; tokens: IssuedTokens };
  expire(run: number): void;
  count(run: number): Counts;
}

/** Time of a token request: a token endpoint writes to a database. */
const tokenEndpointMs = 20;
const runs: Run[] = [];

const server = createServer(async (request, response) => {
  const [, , number, path] = (request.url ?? '').split(/[/?]/);
  const run = runs[Number(number)];
  if (!run) return send(response, 404, { error: 'no_such_run' });
  if (path === 'api') return answerCall(run, request, response);
  if (path === 'token') return answerTokenRequest(run, request, response);
  run.triggers += 1;
  return send(response, 202, {});
});

function answerCall(run: Run, request: IncomingMessage, response: ServerResponse): void {
  const accessToken = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  if (accepts(run, accessToken)) send(response, 200, { ok: true });
  else send(response, 401, { error: 'invalid_token' });
}

async function answerTokenRequest(run: Run, request: IncomingMessage, response: ServerResponse) {
  const { parameters } = await readTokenRequest(request);
  const tokens = refresh(run, parameters);
  await sleep(tokenEndpointMs);
  if (!tokens) return send(response, 400, { error: 'invalid_grant' });
  // Without scope and tenant, which are those of the request.
  const { access_token, refresh_token, token_type, expires_in } = tokens;
  return send(response, 200, { access_token, refresh_token, token_type, expires_in });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function runOf(number: number): Run {
  const run = runs[number];
  if (!run) throw new Error('There is no such run');
  return run;
}

server.keepAliveTimeout = 60_000;
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

answerParent<PlatformCommands>({
  open(lifetimeSeconds) {
    const opened = openRun(lifetimeSeconds);
    const run = runs.push(opened) - 1;
    return { run, baseUrl: `${origin}/run/${run}/`, tokens: issueFirstTokens(opened) };
  },
  expire: (run) => expire(runOf(run)),
  count: (run) => {
    const { refreshes, triggers } = runOf(run);
    return { refreshes, triggers };
  },
});
