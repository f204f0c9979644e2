/** Child processes that share one database: started, commanded, paused and killed by their pid. */
import { type ChildProcess, fork } from 'node:child_process';
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

interface Context {
  child: ChildProcess;
  requests: Map<number, (message: WorkerMessage) => void>;
  nextId: number;
  isRunning: boolean;
  onStopping: () => void;
}

export function startWorker(setup: WorkerSetup) {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache };
  const child = fork(program, { execArgv: [], env, stdio: 'inherit' });
  const context: Context = {
    child,
    requests: new Map(),
    nextId: 0,
    isRunning: true,
    onStopping: () => {},
  };
  child.on('message', (message: WorkerMessage) => receive(context, message));
  child.once('exit', () => failAll(context));
  const started = request(context, { type: 'start', setup });
  return {
    started,
    get isRunning(): boolean {
      return context.isRunning;
    },

    calls: (plan: CallPlan) => request(context, { type: 'calls', plan }) as Promise<Outcomes>,
    receive: (event: AccessTokenEventPayload) => request(context, { type: 'event', event }),

    /** Resolves when the process has received the order; `stopped` when it has stopped. */
    async stopAt(order: StopOrder): Promise<{ stopped: Promise<void> }> {
      const stopped = new Promise<void>((resolve) => {
        context.onStopping = resolve;
      });
      await request(context, { type: 'stop-at', order });
      return { stopped };
    },

    resume(): void {
      context.isRunning = true;
      child.kill('SIGCONT');
    },

    end: () => end(context),
  };
}

function receive(context: Context, message: WorkerMessage): void {
  if (message.type === 'stopping') {
    context.isRunning = false;
    context.onStopping();
    return;
  }
  context.requests.get(message.id)?.(message);
  context.requests.delete(message.id);
}

function failAll(context: Context): void {
  context.isRunning = false;
  for (const [id, settle] of context.requests) {
    settle({ type: 'failed', id, reason: 'The worker died' });
  }
  context.requests.clear();
}

function request(context: Context, command: WorkerCommand): Promise<unknown> {
  context.nextId += 1;
  const id = context.nextId;
  return new Promise((resolve, reject) => {
    context.requests.set(id, (message) => {
      if (message.type === 'done') resolve(message.result);
      else if (message.type === 'failed') reject(new Error(message.reason));
    });
    context.child.send({ id, command });
  });
}

async function end({ child, isRunning }: Context): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (isRunning) child.disconnect();
  else child.kill('SIGKILL');
  await exited;
}
