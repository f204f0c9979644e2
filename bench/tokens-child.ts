/** One contender in its own process: runs its parent's commands and measures them. */
import { Agent, install, setGlobalDispatcher } from 'undici';
import type { Contender, Setting } from './peers/contender.ts';
import { findContender } from './tokens-contenders.ts';
import { answerParent } from './tokens-ipc.ts';

export interface Wave {
  succeeded: number;
  wallMs: number;
  /** CPU time of the whole process. */
  cpuMs: number;
  /** The number of calls by other status or error. */
  failures: Record<string, number>;
}

export interface ChildCommands {
  /** Begins a run: a new contender, with these tokens. */
  open(setting: Setting): void;
  /** Calls that begin together. */
  wave(options: { calls: number; expires: boolean }): Wave;
  /** Calls one after another, in microseconds of CPU time each. `paths`: how many different ones. */
  measure(options: { calls: number; paths: number }): { callUs: number; bareUs: number };
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
    const before = process.cpuUsage();
    const startedAt = performance.now();
    const results = await Promise.allSettled(Array.from({ length: calls }, () => call()));
    const wallMs = performance.now() - startedAt;
    const cpu = process.cpuUsage(before);
    const cpuMs = (cpu.user + cpu.system) / 1000;
    const failures: Record<string, number> = {};
    for (const outcome of results.map(outcomeOf)) {
      if (outcome !== '200') failures[outcome] = (failures[outcome] ?? 0) + 1;
    }
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
    return { succeeded: calls - failed, wallMs, cpuMs, failures };
  },

  async measure({ calls, paths }) {
    const { call, bare } = opened();
    const sent = Array.from({ length: paths }, (_, index) =>
      paths === 1 ? 'api' : `api/users/${index}?page=${index}&size=20`,
    );
    return {
      bareUs: await timePerCall(bare, calls, sent),
      callUs: await timePerCall(call, calls, sent),
    };
  },
});

function outcomeOf(result: PromiseSettledResult<number>): string {
  if (result.status === 'fulfilled') return String(result.value);
  const { code, name } = result.reason as { code?: unknown; name?: string };
  return typeof code === 'string' ? code : (name ?? 'Error');
}

function opened(): Contender {
  if (!contender) throw new Error('No run is open');
  return contender;
}

function stubFetch(): void {
  const response = new Response(null, { status: 204 });
  globalThis.fetch = async () => response;
}

/** The same fetch and the same number of connections for each library. */
function shareFetch({ connections }: Setting): void {
  install();
  setGlobalDispatcher(new Agent({ connections }));
}

/** CPU time of the main thread, so other processes do not affect the result. */
async function timePerCall(
  call: Contender['call'],
  calls: number,
  paths: readonly string[],
): Promise<number> {
  const before = process.threadCpuUsage();
  for (let done = 0; done < calls; done += 1) {
    const status = await call(paths[done % paths.length]);
    if (status !== 204) throw new Error('The stubbed transport answers 204');
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / calls;
}
