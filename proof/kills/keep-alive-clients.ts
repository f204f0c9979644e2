/** Clients behind a balancer: each keeps a connection to every back end, and repeats no call that was reset. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface ClientsOptions {
  /** The back ends of the balancer. */
  urls: readonly string[];
  clients: number;
  /** The longest pause of a client between two calls, in milliseconds. */
  maxPauseMs: number;
  nextCall: (index: number) => Call | Promise<Call>;
}

export interface Tally {
  calls: number;
  /** Calls that ended with an error or a status other than 200 and 201, by error or status. */
  failed: Record<string, number>;
  /** The number of answered calls by back end. */
  answered: Record<string, number>;
}

const readinessMs = 100;

export interface RunningClients {
  /** Resolves when this number of calls has ended. */
  whenCalled(calls: number): Promise<void>;
  /** Resolves when a back end is ready, as the balancer sees it, or is not. */
  whenSeen(url: string, isReady: boolean): Promise<void>;
  /** Resolves when the last calls have ended. */
  stop(): Promise<Tally>;
}

export function startClients(options: ClientsOptions): RunningClients {
  const { urls, clients, maxPauseMs, nextCall } = options;
  const ready = new Set<string>();
  const tally: Tally = { calls: 0, failed: {}, answered: {} };
  let begun = 0;
  let isStopped = false;

  function chooseBackEnd(): string | undefined {
    const choice = [...ready];
    return choice[Math.floor(Math.random() * choice.length)];
  }

  async function runClient(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isStopped) {
      begun += 1;
      const call = await nextCall(begun);
      let url = chooseBackEnd();
      for (; url === undefined; url = chooseBackEnd()) await sleep(readinessMs);
      const outcome = await send(url, call, agent);
      tally.calls += 1;
      if (outcome === '200' || outcome === '201') add(tally.answered, url);
      else add(tally.failed, outcome);
      await sleep(Math.random() * maxPauseMs);
    }
    agent.destroy();
  }

  async function watchReadiness(url: string): Promise<void> {
    const readiness: Call = { method: 'GET', path: '/readyz' };
    while (!isStopped) {
      if ((await send(url, readiness)) === '200') ready.add(url);
      else ready.delete(url);
      await sleep(readinessMs);
    }
  }

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await Promise.race([sleep(readinessMs / 2), clientsEnd]);
  }

  const clientsEnd = Promise.all([
    ...Array.from({ length: clients }, runClient),
    ...urls.map(watchReadiness),
  ]);
  return {
    whenCalled: (count) => until(() => tally.calls >= count),
    whenSeen: (url, isReady) => until(() => ready.has(url) === isReady),
    async stop() {
      isStopped = true;
      await clientsEnd;
      return tally;
    },
  };
}

function add(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

/** The status, or the error's code. */
function send(url: string, call: Call, agent?: Agent): Promise<string> {
  const { method, path, headers, body } = call;
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message);
    const sending = request(`${url}${path}`, { method, agent: agent ?? false, headers });
    sending.on('error', fail);
    sending.on('response', (response: IncomingMessage) => {
      response.resume().on('end', () => resolve(String(response.statusCode)));
      response.on('error', fail);
    });
    sending.end(body);
  });
}
