/** The network between a process and the platform: slow, lossy, and limited by the process's own time-outs. */
import { type GuardedFetch, joinSignals } from '@dowel/http';
import { connect, createConnections } from './connections.ts';
import { createLastingBody } from './lasting-body.ts';
import { NetworkError } from './network-error.ts';
import type { Random } from './random.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Simulation } from './simulation.ts';

export interface NetworkRequest {
  url: URL;
  method: string;
  headers: Headers;
  body: string;
}

export interface NetworkAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
  /** The time of the body after the headers. Infinity: it has no end. */
  lastsMs?: number;
}

/** The content type of a body that lasts. */
export const streamType = 'text/event-stream';
const lastingMs = [1_000, 8_000, Number.POSITIVE_INFINITY];

/** The fate of one request. */
export type Fate =
  | 'answered'
  | 'refused'
  | 'hangs'
  | 'lost'
  | 'late'
  | 'late behind a gateway'
  | 'passing'
  | 'passing after'
  | 'garbled'
  | 'forbidden'
  | 'unauthorized'
  /** Answered, with a body that lasts for a long time. */
  | 'lasts';

/** Is called with the result of one request. */
export interface Exchange {
  /** Undefined: no answer will be read. `refused`: the request was not sent. */
  ended(answer: NetworkAnswer | 'refused' | undefined): void;
}

export interface NetworkHost {
  /** The fate during an outage; undefined: the climate decides. */
  fateOf(request: NetworkRequest): Fate | undefined;
  /** The request leaves the process. It may not arrive. */
  sent(process: SimulatedProcess, request: NetworkRequest): Exchange;
  /** Calls `arrive` after the next request of this kind took effect, which is the worst moment. */
  afterNext(request: NetworkRequest, arrive: () => void): void;
  /** The request takes effect. */
  handle(request: NetworkRequest): NetworkAnswer;
}

/** Shared by the requests of one process. */
interface Network {
  readonly simulation: Simulation;
  readonly process: SimulatedProcess;
  readonly host: NetworkHost;
}

/** The sender of a request. */
interface Sender {
  signal: AbortSignal | null;
  resolve: (response: Response) => void;
  reject: (reason: unknown) => void;
  /** Called when the request no longer needs its connection. */
  onEnd: () => void;
}

/** A request under way. */
interface Sending extends Network, Sender {
  readonly request: NetworkRequest;
  readonly what: string;
  readonly exchange: Exchange;
  abort: () => void;
  isOpen: boolean;
  hasArrived: boolean;
}

/** For token requests and triggers: any number of connections. */
export function createFetch(
  simulation: Simulation,
  process: SimulatedProcess,
  host: NetworkHost,
): typeof fetch {
  const network = { simulation, process, host };
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const sender = { signal: init.signal ?? null, resolve, reject, onEnd: () => {} };
      send(network, sender, readRequest(input, init));
    });
}

/** For calls: a request needs one of its origin's connections until its body has ended. */
export function createCallFetch(
  simulation: Simulation,
  process: SimulatedProcess,
  { host, connectionsPerOrigin }: { host: NetworkHost; connectionsPerOrigin: number },
): GuardedFetch {
  const network = { simulation, process, host };
  const connections = createConnections(connectionsPerOrigin);
  return (input, { onBodyEnd, untilHeaders, ...init } = {}) =>
    new Promise((resolve, reject) => {
      const signal = joinSignals(init.signal, untilHeaders) ?? null;
      const request = readRequest(input, init);
      const leaveLine = connect(connections, request.url.origin, (release) => {
        const onEnd = () => {
          release();
          onBodyEnd?.();
        };
        send(network, { signal, resolve, reject, onEnd }, request);
      });
      signal?.addEventListener('abort', () => {
        leaveLine();
        reject(signal.reason);
      });
    });
}

function send(network: Network, sender: Sender, request: NetworkRequest): void {
  const { simulation, process, host } = network;
  const { signal } = sender;
  if (!process.isAlive) return;
  if (signal?.aborted) {
    sender.onEnd();
    sender.reject(signal.reason);
    return;
  }
  process.cross();
  if (!process.isAlive) return;
  const what = `${request.method} ${request.url.host}${describe(request)}`;
  const exchange = host.sent(process, request);
  const state = { isOpen: true, hasArrived: false, abort: () => giveUp(sending) };
  const sending: Sending = { ...network, ...sender, ...state, request, what, exchange };
  const fate = host.fateOf(request) ?? drawFate(simulation, request);
  simulation.log(process.name, `→ ${what}`);
  signal?.addEventListener('abort', sending.abort);
  if (fate === 'refused') fail(sending, 'ECONNREFUSED');
  else travel(network, () => arrive(sending, fate));
}

function travel({ simulation }: Network, step: () => void): void {
  const { scheduler, random, climate } = simulation;
  scheduler.after(random.between(1, climate().networkDelayMs), step);
}

/** True when the sender still waits. */
function close(sending: Sending, answer?: NetworkAnswer | 'refused'): boolean {
  const { isOpen, signal, abort, exchange } = sending;
  if (!isOpen) return false;
  sending.isOpen = false;
  signal?.removeEventListener('abort', abort);
  exchange.ended(answer);
  return true;
}

function giveUp(sending: Sending): void {
  const { simulation, process, what, signal, onEnd, reject } = sending;
  simulation.log(process.name, `✗ ${what}: given up`);
  if (!close(sending)) return;
  onEnd();
  reject(signal?.reason);
}

function fail(sending: Sending, code: string): void {
  const { simulation, process, what, onEnd, reject } = sending;
  travel(sending, () =>
    process.resume(() => {
      if (!close(sending, code === 'ECONNREFUSED' ? 'refused' : undefined)) return;
      simulation.log(process.name, `✗ ${what}: ${code}`);
      onEnd();
      reject(new NetworkError(code));
    }),
  );
}

function answer(sending: Sending, content: NetworkAnswer): void {
  const { simulation, process, what, resolve } = sending;
  travel(sending, () => {
    process.cross();
    process.resume(() => {
      if (!close(sending, content)) return;
      simulation.log(process.name, `← ${what}: ${content.status}`);
      resolve(toResponse(sending, content));
    });
  });
}

function arrive(sending: Sending, fate: Fate): void {
  const { simulation, host, request } = sending;
  const { scheduler, random } = simulation;
  if (fate === 'hangs') return;
  if (fate === 'late' || fate === 'late behind a gateway') {
    scheduler.after(random.between(1_000, 40_000), () => arriveLate(sending));
    if (random.chance(0.5)) host.afterNext(request, () => arriveLate(sending));
    if (fate === 'late behind a gateway') answer(sending, { status: 504, body: '<html>' });
    return;
  }
  const content = contentOf(sending, fate);
  if (content) answer(sending, content);
  else if (random.chance(0.5)) fail(sending, 'UND_ERR_SOCKET');
}

function arriveLate(sending: Sending): void {
  const { simulation, process, what, isOpen, hasArrived } = sending;
  if (hasArrived) return;
  sending.hasArrived = true;
  if (!isOpen) {
    simulation.count('request: arrived after its sender gave up');
    simulation.log(process.name, `late: ${what}`);
  }
  arrive(sending, 'answered');
}

/** Undefined: the answer is lost. */
function contentOf(
  { simulation: { random }, host, request }: Sending,
  fate: Fate,
): NetworkAnswer | undefined {
  if (fate === 'passing') return drawPassing(random);
  if (fate === 'forbidden') return { status: 403, body: '<html>' };
  if (fate === 'unauthorized') return { status: 401, body: '{}' };
  const content = host.handle(request);
  if (fate === 'lost') return undefined;
  if (fate === 'passing after') return { status: 504, body: '<html>' };
  if (fate === 'lasts') return { ...content, lastsMs: random.pick(lastingMs) };
  return fate === 'garbled' ? { status: 200, body: '<html>' } : content;
}

function drawFate({ random, climate }: Simulation, request: NetworkRequest): Fate {
  const { network } = climate();
  const isCall = request.url.pathname.includes('/api/');
  if (random.chance(network.refused)) return 'refused';
  if (random.chance(network.hangs)) return 'hangs';
  if (random.chance(network.lost)) return 'lost';
  if (random.chance(network.late)) return random.pick(['late', 'late', 'late behind a gateway']);
  if (random.chance(network.passing)) return 'passing';
  if (random.chance(network.passingAfter)) return 'passing after';
  if (isCall && random.chance(network.lasts)) return 'lasts';
  if (!isCall && random.chance(network.garbled)) return 'garbled';
  if (!isCall && random.chance(network.forbidden)) return 'forbidden';
  return 'answered';
}

function drawPassing(random: Random): NetworkAnswer {
  const status = random.pick([429, 500, 503]);
  const retryAfter = random.pick([undefined, '0', '2', '20']);
  return {
    status,
    body: '{}',
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
  };
}

function readRequest(input: Parameters<typeof fetch>[0], init: RequestInit): NetworkRequest {
  const url = new URL(input instanceof Request ? input.url : input);
  return {
    url,
    method: init.method ?? 'GET',
    headers: new Headers(init.headers),
    body: typeof init.body === 'string' ? init.body : '',
  };
}

/** A short body arrives with its headers. */
function toResponse(
  { simulation, process, signal, onEnd }: Sending,
  { status, headers = {}, body, lastsMs }: NetworkAnswer,
): Response {
  if (lastsMs === undefined) {
    onEnd();
    return new Response(body, { status, headers });
  }
  simulation.count('answer: its body lasts');
  const lasting = createLastingBody(simulation, process, { lastsMs, signal, onEnd });
  return new Response(lasting, { status, headers: { ...headers, 'content-type': streamType } });
}

function describe({ url, headers }: NetworkRequest): string {
  const presented = url.searchParams.get('refresh_token') ?? url.searchParams.get('code');
  const bearer = headers.get('authorization')?.replace(/^Basic .*/, '');
  return `${url.pathname} ${presented ?? bearer ?? ''}`.trimEnd();
}
