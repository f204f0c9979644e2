/**
 * The platform of the token benchmark, a process of its own: an API behind a strict authorization
 * server, one {@link Family} for each run. Its parent opens runs, ends access tokens and reads counts.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Behaviour, Family, type IssuedTokens, lifetimeSeconds } from './tokens-family.ts';
import { answerParent } from './tokens-ipc.ts';

export interface Counts {
  refreshes: number;
  triggers: number;
}

export interface PlatformCommands {
  open(behaviour: Behaviour): { run: number; baseUrl: string; tokens: IssuedTokens };
  expire(run: number): void;
  count(run: number): Counts;
}

interface Run {
  family: Family;
  refused: number;
  firstRefresh: PromiseWithResolvers<void>;
}

/** A token endpoint writes to a database. */
const tokenEndpointMs = 20;
/** Late 401s trickle in, so far apart. */
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
  const accessToken = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  if (run.family.accepts(accessToken)) return send(response, 200, { ok: true });
  await beLate(run);
  send(response, 401, { error: 'invalid_token' });
}

async function beLate(run: Run): Promise<void> {
  const { lateMs } = run.family.behaviour;
  run.refused += 1;
  if (lateMs === null || run.refused % 2 === 1) return;
  const delayMs = lateMs + run.refused * lateStepMs;
  await run.firstRefresh.promise;
  await sleep(delayMs);
}

async function answerTokenRequest(
  { family, firstRefresh }: Run,
  request: IncomingMessage,
  response: ServerResponse,
  isSlack: boolean,
) {
  const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
  const parameters = new URLSearchParams([
    ...searchParams,
    ...new URLSearchParams(await text(request)),
  ]);
  const tokens = family.exchange(parameters);
  await sleep(tokenEndpointMs);
  if (tokens === undefined) send(response, 503, { error: 'temporarily_unavailable' });
  else if (isSlack) send(response, 200, slackAnswer(tokens));
  else if (tokens === null) send(response, 400, { error: 'invalid_grant' });
  else send(response, 200, { ...tokenAnswer(tokens), token_type: 'Bearer' });
  firstRefresh.resolve();
}

function tokenAnswer({ accessToken, refreshToken }: Partial<IssuedTokens>) {
  return { access_token: accessToken, refresh_token: refreshToken, expires_in: lifetimeSeconds };
}

/** Slack says no with 200, and calls its tokens by whom they are for. */
function slackAnswer(tokens: Partial<IssuedTokens> | null): object {
  if (!tokens) return { ok: false, error: 'invalid_refresh_token' };
  return { ok: true, ...tokenAnswer(tokens), token_type: 'bot' };
}

/** Spec §4.3: the body is defined by the platform. Here it contains the address for events. */
async function answerTrigger({ family }: Run, request: IncomingMessage, response: ServerResponse) {
  family.triggers += 1;
  const { eventUrl } = JSON.parse(await text(request)) as { eventUrl: string };
  send(response, 202, {});
  await sleep(eventMs);
  await fetch(eventUrl, { method: 'POST', body: family.createCode() });
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
    const family = new Family(behaviour);
    const run = runs.push({ family, refused: 0, firstRefresh: Promise.withResolvers() }) - 1;
    return { run, baseUrl: `${origin}/run/${run}/`, tokens: family.issue() };
  },
  expire: (run) => runOf(run).family.expire(),
  count: (run) => {
    const { refreshes, triggers } = runOf(run).family;
    return { refreshes, triggers };
  },
});
