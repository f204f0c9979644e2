/** Child processes that share one database: started, commanded, paused and killed by their pid. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AccessTokenEventPayload } from '@dowel/schema';
import type { CallPlan, Outcomes } from './make-calls.ts';
import type { StopOrder, WorkerCommand, WorkerMessage, WorkerSetup } from './worker.ts';

const program = new URL('./worker.ts', import.meta.url);

export function startWorker(setup: WorkerSetup) {
  const child = fork(program, { execArgv: [], env: { PATH: process.env.PATH }, stdio: 'inherit' });
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

    end: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
