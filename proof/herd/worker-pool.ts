/** Child processes that share one database: started, commanded, paused and killed by their pid. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccessTokenEventPayload } from '@dowel/schema';
import type { CallPlan, Outcomes } from './make-calls.ts';
import type { StopOrder, WorkerCommand, WorkerMessage, WorkerSetup } from './worker.ts';

/** Halves the time that a process takes to start. */
const compileCache = join(tmpdir(), 'node-compile-cache');
const program = new URL('./worker.ts', import.meta.url);

export type TestWorker = ReturnType<typeof startWorker>;

export function startWorker(setup: WorkerSetup) {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache };
  const child = fork(program, { execArgv: [], env, stdio: 'inherit' });
  const requests = new Map<number, (message: WorkerMessage) => void>();
  let nextId = 0;
  let isRunning = true;
  let onStopping = () => {};

  child.on('message', (message: WorkerMessage) => {
    if (message.type === 'stopping') {
      isRunning = false;
      onStopping();
      return;
    }
    requests.get(message.id)?.(message);
    requests.delete(message.id);
  });
  child.once('exit', () => {
    isRunning = false;
    for (const [id, settle] of requests) settle({ type: 'failed', id, reason: 'The worker died' });
    requests.clear();
  });

  function request(command: WorkerCommand): Promise<unknown> {
    nextId += 1;
    const id = nextId;
    return new Promise((resolve, reject) => {
      requests.set(id, (message) => {
        if (message.type === 'done') resolve(message.result);
        else if (message.type === 'failed') reject(new Error(message.reason));
      });
      child.send({ id, command });
    });
  }

  const started = request({ type: 'start', setup });

  return {
    started,
    get isRunning(): boolean {
      return isRunning;
    },

    calls: (plan: CallPlan) => request({ type: 'calls', plan }) as Promise<Outcomes>,
    receive: (event: AccessTokenEventPayload) => request({ type: 'event', event }),

    /** Resolves when the order is known; `stopped` when it was carried out. */
    async stopAt(order: StopOrder): Promise<{ stopped: Promise<void> }> {
      const stopped = new Promise<void>((resolve) => {
        onStopping = resolve;
      });
      await request({ type: 'stop-at', order });
      return { stopped };
    },

    resume(): void {
      isRunning = true;
      child.kill('SIGCONT');
    },

    async end(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      if (isRunning) child.disconnect();
      else child.kill('SIGKILL');
      await exited;
    },
  };
}
