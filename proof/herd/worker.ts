/** A child process with its own store and token client. It carries out its parent's commands. */
import { createGuardedFetch } from '@dowel/http';
import type { AccessTokenEventPayload } from '@dowel/schema';
import type { TokenPolicy } from '@dowel/token-client';
import { createTokenClient } from '@dowel/token-client';
import { receiveEvent } from '@dowel/token-client/testing';
import { type CallPlan, makeCalls } from './make-calls.ts';
import { type Step, watchSteps } from './stop-at-step.ts';
import { openLocation, type StoreLocation } from './store-location.ts';

export interface WorkerSetup {
  database: StoreLocation;
  policy: Partial<TokenPolicy>;
  /** The platform's origins, on loopback. */
  internalOrigins: string[];
}

export interface StopOrder {
  step: Step;
  signal: 'SIGKILL' | 'SIGSTOP';
}

export type WorkerCommand =
  | { type: 'start'; setup: WorkerSetup }
  | { type: 'calls'; plan: CallPlan }
  | { type: 'event'; event: AccessTokenEventPayload }
  | { type: 'stop-at'; order: StopOrder };

export type WorkerMessage =
  | { type: 'done'; id: number; result: unknown }
  | { type: 'failed'; id: number; reason: string }
  | { type: 'stopping' };

let order: StopOrder | undefined;
let running: Awaited<ReturnType<typeof start>> | undefined;

async function start({ database, policy, internalOrigins }: WorkerSetup) {
  const tokenFetch = createGuardedFetch({ internalOrigins });
  const surroundings = { store: await openLocation(database), tokenFetch };
  const { store, ...watched } = watchSteps(surroundings, stopIfOrdered);
  return { store, client: createTokenClient({ store, ...watched, policy, internalOrigins }) };
}

async function stopIfOrdered(step: Step): Promise<void> {
  if (order?.step !== step) return;
  const { signal } = order;
  order = undefined;
  await tell({ type: 'stopping' });
  process.kill(process.pid, signal);
}

async function obey(command: WorkerCommand): Promise<unknown> {
  if (command.type === 'start') {
    running = await start(command.setup);
    return undefined;
  }
  if (!running) throw new Error('The worker has not been started');
  const { store, client } = running;
  switch (command.type) {
    case 'calls':
      return makeCalls(client, command.plan);
    case 'event':
      return receiveEvent(store, client, command.event);
    case 'stop-at':
      order = command.order;
      return undefined;
  }
}

function tell(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

process.on('message', (message: { id: number; command: WorkerCommand }) => {
  const { id, command } = message;
  obey(command).then(
    (result) => tell({ type: 'done', id, result }),
    (error: unknown) => tell({ type: 'failed', id, reason: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
