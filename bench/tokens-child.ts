/** One contender in a process of its own: does what its parent asks, and measures it. */
import { Agent, install, setGlobalDispatcher } from 'undici';
import type { Contender, Setting } from './peers/contender.ts';
import { findContender } from './tokens-contenders.ts';
import { answerParent } from './tokens-ipc.ts';

export interface ChildCommands {
  /** Begins a run: a new contender, with these tokens. */
  open(setting: Setting): void;
  /** Calls that begin together. */
  wave(options: { calls: number; expires: boolean }): { succeeded: number; wallMs: number };
  /** Calls one after another, in microseconds of CPU time each. */
  measure(calls: number): { callUs: number; bareUs: number };
}

const create = await findContender(process.argv[2] ?? '').load();
let contender: Contender | undefined;

answerParent<ChildCommands>({
  async open(setting) {
    await contender?.close?.();
    if (setting.isStubbed) stubFetch();
    else shareFetch(setting);
    contender = await create(setting);
  },

  async wave({ calls, expires }) {
    const { call, expire } = opened();
    if (expires) expire?.();
    const startedAt = performance.now();
    const results = await Promise.allSettled(Array.from({ length: calls }, () => call()));
    const wallMs = performance.now() - startedAt;
    const succeeded = results.filter(
      (result) => result.status === 'fulfilled' && result.value === 200,
    ).length;
    return { succeeded, wallMs };
  },

  async measure(calls) {
    const { call, bare } = opened();
    return { bareUs: await timePerCall(bare, calls), callUs: await timePerCall(call, calls) };
  },
});

function opened(): Contender {
  if (!contender) throw new Error('No run is open');
  return contender;
}

function stubFetch(): void {
  const response = new Response(null, { status: 204 });
  globalThis.fetch = async () => response;
}

/** The same fetch and the same number of connections for everybody. */
function shareFetch({ connections }: Setting): void {
  install();
  setGlobalDispatcher(new Agent({ connections }));
}

/** The main thread's own time: what other processes take from it does not count. */
async function timePerCall(call: () => Promise<number>, calls: number): Promise<number> {
  const before = process.threadCpuUsage();
  for (let done = 0; done < calls; done += 1) {
    if ((await call()) !== 204) throw new Error('The stubbed transport answers 204');
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / calls;
}
