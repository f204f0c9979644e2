/**
 * The platform of the token benchmark, a process of its own: an API behind the emulator's strict
 * authorization server, one for each {@link Run}. Its parent opens runs, ends access tokens and reads counts.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTokenRequest } from '@dowel/emulator/authorization-server';
import { answerParent } from './tokens-ipc.ts';
import {
  accepts,
  type Behaviour,
  createCode,
  expire,
  grantTokens,
  type IssuedTokens,
  issueFirstTokens,
  lifetimeSeconds,
  openRun,
  type Run,
} from './tokens-run.ts';

export interface Counts {
  refreshes: number;
  triggers: number;
}

export interface PlatformCommands {
  open(behaviour: Behaviour): { run: number; baseUrl: string; tokens: IssuedTokens };
  expire(run: number): void;
  count(run: number): Counts;
}

/** Time of a token request: a token endpoint writes to a database. */
const tokenEndpointMs = 20;
/** Late 401s arrive one after another, at this interval. */
const lateStepMs = 5;
const eventMs = 20;
const runs: Run[] = [];

const server = createServer(async (request, response) => {
  const [, , number, ...path] = (request.url ?? '').split(/[/?]/);
  const run = runs[Number(number)];
  if (!run) return send(response, 404, { error: 'no_such_run' });
  if (path[0] === 'api') return answerCall(run, request, response);
  if (path[0] === 'trigger') return answerTrigger(run, request, response);
  return answerTokenRequest(run, request, response, path[0] === 'slack');
});

async function answerCall(run: Run, request: IncomingMessage, response: ServerResponse) {
  if (run.behaviour.isHanging) return;
  const accessToken = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  if (accepts(run, accessToken)) return send(response, 200, { ok: true });
  await beLate(run);
  send(response, 401, { error: 'invalid_token' });
}

async function beLate(run: Run): Promise<void> {
  const { lateMs } = run.behaviour;
  run.refusedCalls += 1;
  if (lateMs === null || run.refusedCalls % 2 === 1) return;
  const delayMs = lateMs + run.refusedCalls * lateStepMs;
  await run.firstRefresh.promise;
  await sleep(delayMs);
}

async function answerTokenRequest(
  run: Run,
  request: IncomingMessage,
  response: ServerResponse,
  isSlack: boolean,
) {
  const { parameters } = await readTokenRequest(request);
  const tokens = grantTokens(run, parameters);
  await sleep(tokenEndpointMs);
  if (tokens === undefined) send(response, 503, { error: 'temporarily_unavailable' });
  else if (isSlack) send(response, 200, slackAnswer(tokens));
  else if (tokens === null) send(response, 400, { error: 'invalid_grant' });
  else send(response, 200, { ...tokenAnswer(tokens), token_type: 'Bearer' });
  run.firstRefresh.resolve();
}

function tokenAnswer({ accessToken, refreshToken }: Partial<IssuedTokens>) {
  return { access_token: accessToken, refresh_token: refreshToken, expires_in: lifetimeSeconds };
}

/** Slack sends errors with status 200, and names its tokens by their holder (bot or user). */
function slackAnswer(tokens: Partial<IssuedTokens> | null): object {
  if (!tokens) return { ok: false, error: 'invalid_refresh_token' };
  return { ok: true, ...tokenAnswer(tokens), token_type: 'bot' };
}

/** Spec §4.3: the body is defined by the platform. Here it contains the address for events, or none. */
async function answerTrigger(run: Run, request: IncomingMessage, response: ServerResponse) {
  run.triggers += 1;
  const { eventUrl } = JSON.parse(await text(request)) as { eventUrl?: string };
  send(response, 202, {});
  if (!eventUrl) return;
  await sleep(eventMs);
  const answer = await fetch(eventUrl, { method: 'POST', body: createCode(run) });
  if (!answer.ok) throw new Error(`The event was answered ${answer.status}`);
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
  open(behaviour) {
    const opened = openRun(behaviour);
    const run = runs.push(opened) - 1;
    return { run, baseUrl: `${origin}/run/${run}/`, tokens: issueFirstTokens(opened) };
  },
  expire: (run) => expire(runOf(run)),
  count: (run) => {
    const { refreshes, triggers } = runOf(run);
    return { refreshes, triggers };
  },
});
