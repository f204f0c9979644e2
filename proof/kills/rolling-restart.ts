/** Two processes of one back end, restarted in turn under clients that keep their connections. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, startClients, type Tally } from './keep-alive-clients.ts';
import { KilledProcess, maxStarts, type ProcessSettings, startProcess } from './kill-process.ts';

export interface RollingRestart {
  /** The settings of both processes. */
  environment: Record<string, string>;
  clients: number;
  /** The minimum number of calls. */
  calls: number;
  restarts: number;
  nextCall: (index: number) => Call | Promise<Call>;
}

/** Shorter than the time for which a stopping process listens. */
const maxPauseMs = 50;

/** Each stopped process ends by itself, and the next one has its port. */
export async function restartInTurn(
  options: RollingRestart,
): Promise<Tally & { exits: (number | null)[] }> {
  const { environment, clients, calls, restarts, nextCall } = options;
  const settings = { environment };
  let processes = [await startProcess(settings), await startProcess(settings)];
  const exits: (number | null)[] = [];
  try {
    const urls = processes.map(({ url }) => url);
    const running = startClients({ urls, clients, maxPauseMs, nextCall });
    for (let count = 1; count <= restarts; count += 1) {
      await running.whenCalled((count * calls) / (restarts + 2));
      const [oldest, other] = processes as [KilledProcess, KilledProcess];
      await running.whenSeen(other.url, true);
      oldest.kill('SIGTERM');
      exits.push((await oldest.exited).code);
      const next = await startAt(settings, Number(new URL(oldest.url).port));
      processes = [other, next];
    }
    await running.whenCalled(calls);
    return { ...(await running.stop()), exits };
  } finally {
    await Promise.all(processes.map((each) => each.end()));
  }
}

/** Ready on this port, which another process of the machine may have for a moment. */
async function startAt(settings: ProcessSettings, port: number): Promise<KilledProcess> {
  for (let attempt = 1; ; attempt += 1) {
    const started = new KilledProcess(settings, port);
    try {
      return await started.ready();
    } catch (error) {
      if (attempt === maxStarts || !started.foundPortInUse) throw error;
      await sleep(1_000);
    }
  }
}
