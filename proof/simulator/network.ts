/** The way between a process and the platform: slow, lossy, and ended by the process's own time-outs. */
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
}

/** How one request ends. */
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
  | 'unauthorized';

/** Is called with the result of one request. */
export interface Exchange {
  /** Undefined: no answer will be read. `refused`: the request was not sent. */
  ended(answer: NetworkAnswer | 'refused' | undefined): void;
}

export interface NetworkHost {
  /** The fate by an outage; undefined: the climate decides. */
  fateOf(request: NetworkRequest): Fate | undefined;
  /** The request leaves the process; it may not arrive. */
  sent(process: SimulatedProcess, request: NetworkRequest): Exchange;
  /** Calls back after the next request of this kind took effect: the worst moment to arrive. */
  afterNext(request: NetworkRequest, arrive: () => void): void;
  /** The request takes effect. */
  handle(request: NetworkRequest): NetworkAnswer;
}

/** Thrown by the simulated network, as undici would. */
export class NetworkError extends TypeError {
  constructor(code: string) {
    super('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  }
}

export function createFetch(
  simulation: Simulation,
  process: SimulatedProcess,
  host: NetworkHost,
): typeof fetch {
  const { scheduler, random, climate, count, log } = simulation;
  const travel = (step: () => void) =>
    scheduler.after(random.between(1, climate().networkDelayMs), step);

  return (input, init = {}) =>
    new Promise<Response>((resolve, reject) => {
      if (!process.isAlive) return;
      const { signal } = init;
      if (signal?.aborted) return reject(signal.reason);
      process.cross();
      if (!process.isAlive) return;
      const request = readRequest(input, init);
      const what = `${request.method} ${request.url.host}${describe(request)}`;
      const exchange = host.sent(process, request);
      const fate = host.fateOf(request) ?? drawFate(simulation, request);
      log(process.name, `→ ${what}`);
      let isOpen = true;
      let hasArrived = false;

      function end(step: () => void, answer?: NetworkAnswer | 'refused'): void {
        if (!isOpen) return;
        isOpen = false;
        signal?.removeEventListener('abort', abort);
        exchange.ended(answer);
        step();
      }

      function abort(): void {
        log(process.name, `✗ ${what}: given up`);
        end(() => reject(signal?.reason));
      }

      function fail(code: string): void {
        travel(() =>
          process.resume(() => {
            if (isOpen) log(process.name, `✗ ${what}: ${code}`);
            const answer = code === 'ECONNREFUSED' ? 'refused' : undefined;
            end(() => reject(new NetworkError(code)), answer);
          }),
        );
      }

      function answer(content: NetworkAnswer): void {
        travel(() => {
          process.cross();
          process.resume(() => {
            if (isOpen) log(process.name, `← ${what}: ${content.status}`);
            end(() => resolve(toResponse(content)), content);
          });
        });
      }

      signal?.addEventListener('abort', abort);
      if (fate === 'refused') fail('ECONNREFUSED');
      else travel(() => arrive(fate));

      function arrive(met: Fate): void {
        if (met === 'hangs') return;
        if (met === 'late' || met === 'late behind a gateway') {
          scheduler.after(random.between(1_000, 40_000), arriveLate);
          if (random.chance(0.5)) host.afterNext(request, arriveLate);
          if (met === 'late behind a gateway') answer({ status: 504, body: '<html>' });
          return;
        }
        const content = contentOf(met);
        if (content) answer(content);
        else if (random.chance(0.5)) fail('UND_ERR_SOCKET');
      }

      function arriveLate(): void {
        if (hasArrived) return;
        hasArrived = true;
        if (!isOpen) {
          count('request: arrived after its sender gave up');
          log(process.name, `late: ${what}`);
        }
        arrive('answered');
      }

      /** Undefined: the answer is lost. */
      function contentOf(met: Fate): NetworkAnswer | undefined {
        if (met === 'passing') return drawPassing(random);
        if (met === 'forbidden') return { status: 403, body: '<html>' };
        if (met === 'unauthorized') return { status: 401, body: '{}' };
        const content = host.handle(request);
        if (met === 'lost') return undefined;
        if (met === 'passing after') return { status: 504, body: '<html>' };
        return met === 'garbled' ? { status: 200, body: '<html>' } : content;
      }
    });
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

function toResponse({ status, headers = {}, body }: NetworkAnswer): Response {
  return new Response(body, { status, headers });
}

function describe({ url, headers }: NetworkRequest): string {
  const presented = url.searchParams.get('refresh_token') ?? url.searchParams.get('code');
  const bearer = headers.get('authorization')?.replace(/^Basic .*/, '');
  return `${url.pathname} ${presented ?? bearer ?? ''}`.trimEnd();
}
