/** Runs cases in parallel, each in its own frame, and collects their reports. */
import { allCases } from '../cases/all-cases.ts';
import type { Case } from '../cases/case.ts';
import { type AdapterName, isHarnessMessage, type Report } from '../world.ts';
import { world } from './page-world.ts';
import { type Host, hasOwnHost, startHost } from './start-host.ts';

export interface BatteryRun {
  adapter: AdapterName;
  /** Indices into `allCases`. */
  ids: number[];
  concurrency: number;
  /** A page without a report in this time is given up. */
  giveUpMs: number;
}

declare global {
  interface Window {
    runBattery: (run: BatteryRun) => Promise<Record<number, Report>>;
  }
}

window.runBattery = async ({ adapter, ids, concurrency, giveUpMs }) => {
  const reports: Record<number, Report> = {};
  const waiting = ids.filter((id) => !isAlone(id));

  async function work(queue: number[]): Promise<void> {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      reports[id] = await runCase(adapter, id, giveUpMs);
    }
  }
  await Promise.all(Array.from({ length: concurrency }, () => work(waiting)));
  await work(ids.filter(isAlone));
  return reports;
};

function isAlone(id: number): boolean {
  return !!allCases[id]?.page?.alone;
}

function runCase(adapter: AdapterName, id: number, giveUpMs: number): Promise<Report> {
  const { stop } = hostOf(adapter, id);
  return new Promise<Report>((resolve) => {
    const none = { outcome: 'no report', elapsedMs: giveUpMs, limitMs: giveUpMs, problems: [] };
    const timer = setTimeout(resolve, giveUpMs, none);
    function onMessage({ data }: MessageEvent): void {
      if (!isHarnessMessage(data) || data.id !== `${id}` || !data.report) return;
      removeEventListener('message', onMessage);
      clearTimeout(timer);
      resolve(data.report);
    }
    addEventListener('message', onMessage);
  }).finally(stop);
}

function hostOf(adapter: AdapterName, id: number): Host {
  const current = allCases[id] as Case;
  if (!hasOwnHost(current)) return startHost(`${id}`, current, adapter);
  const host = current.page?.host ?? 'tenant';
  const frame = document.createElement('iframe');
  if (host === 'sandboxed') frame.sandbox.add('allow-scripts');
  const origin = world.origins[host === 'sandboxed' ? 'tenant' : host];
  frame.src = `${origin}/host.html?${new URLSearchParams({ adapter, case: `${id}` })}`;
  document.body.append(frame);
  return { frame, stop: () => frame.remove() };
}
