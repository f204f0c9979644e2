/** The plug-in's page: runs an adapter against its host, and reports forbidden effects. */
import { patienceWith, timeoutOf } from '../cases/case.ts';
import { type Attack, type HarnessMessage, isHarnessMessage, type Report } from '../world.ts';
import { startAttacker } from './attack.ts';
import type { Claims, CreateDriver, Driver } from './driver.ts';
import { adapterName, caseId, currentCase, world } from './page-world.ts';

export async function runPlugin(createDriver: CreateDriver): Promise<void> {
  const { page = {}, plugin, options, saves } = currentCase;
  const problems = watchProblems(page.csp === 'no-keys');
  bendTime(page.clockOffsetMs ?? 0, page.timeLapse ?? 1);
  const timeoutMs = timeoutOf(currentCase, adapterName);
  const limitMs = timeoutMs + patienceWith[adapterName].graceMs;
  const startedAt = performance.now();
  const { keys, slowKeys, offlineKeys } = world.origins;
  const driver = createDriver({
    jkuOrigins: [keys, slowKeys, offlineKeys],
    timeoutMs,
    view: saves ? 'config' : 'main',
    ...options?.(world),
  });
  const tooLate = new Promise<string>((resolve) => setTimeout(resolve, limitMs, 'hangs'));
  const run = async (): Promise<string> => {
    if (saves) return runSaves(driver);
    if (plugin) return plugin({ ...driver, world, setHeight: driver.setHeight, openSession, init });
    return init();
  };

  async function init(): Promise<string> {
    try {
      const claims = await driver.init();
      return judge(claims, problems);
    } catch (error) {
      showFailure(driver, error, problems);
      return driver.codeOf(error) ?? `threw ${String(error)}`;
    }
  }

  async function openSession(): Promise<string> {
    return driver.openSession?.().catch((error) => driver.codeOf(error) ?? `threw ${error}`) ?? '';
  }

  addEventListener('message', ({ data }) => {
    if (isHarnessMessage(data) && data.attack) attack(data.attack);
  });
  const outcome = await Promise.race([run(), tooLate]);
  const elapsedMs = Math.round(performance.now() - startedAt);
  await settle();
  if ('polluted' in {} || Object.keys(Object.prototype).length) problems.push('polluted');
  if ('pwned' in window || document.querySelector('[onload], [onerror]')) problems.push('injected');
  sendReport({ outcome, elapsedMs, limitMs, problems });
}

export function sendReport(report: Report): void {
  top?.postMessage({ harness: 'report', id: caseId, report } satisfies HarnessMessage, '*');
}

function judge({ ctx }: Claims, problems: string[]): string {
  if (ctx && ('polluted' in ctx || typeof ctx.toString === 'string')) problems.push('polluted ctx');
  return String(ctx?.userName);
}

function showFailure(driver: Driver, error: unknown, problems: string[]): void {
  try {
    const element = document.body.appendChild(document.createElement('p'));
    driver.showError(element, error);
  } catch (cause) {
    problems.push(`not shown: ${String(cause)}`);
  }
}

async function runSaves(driver: Driver): Promise<string> {
  await driver.init();
  driver.onSave((signal) => currentCase.onSave?.(signal) ?? false);
  return new Promise<string>((resolve) => {
    addEventListener('message', ({ data }) => {
      if (isHarnessMessage(data) && data.outcome) resolve(data.outcome);
    });
    parent.postMessage({ harness: 'ready' } satisfies HarnessMessage, '*');
  });
}

function attack(each: Attack): void {
  if (each.from === 'child') {
    const frame = document.body.appendChild(document.createElement('iframe'));
    addEventListener('message', ({ data, source }) => {
      if (source === frame.contentWindow && data.harness === 'done') parent.postMessage(data, '*');
    });
    startAttacker(frame, each);
    return;
  }
  const { tenant: origin } = world.origins;
  if (each.from === 'self') postMessage(each.data, '*');
  else dispatchEvent(new MessageEvent('message', { data: each.data, origin }));
  parent.postMessage({ harness: 'done' } satisfies HarnessMessage, '*');
}

function watchProblems(isViolationExpected: boolean): string[] {
  const problems: string[] = [];
  addEventListener('error', ({ message }) => problems.push(`error: ${message}`));
  addEventListener('unhandledrejection', ({ reason }) => problems.push(`unhandled: ${reason}`));
  if (!isViolationExpected) {
    addEventListener('securitypolicyviolation', ({ violatedDirective }) => {
      problems.push(`policy: ${violatedDirective}`);
    });
  }
  return problems;
}

function bendTime(clockOffsetMs: number, timeLapse: number): void {
  const now = Date.now;
  Date.now = () => now() + clockOffsetMs;
  const timeout = AbortSignal.timeout;
  AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / timeLapse);
}

/** An unhandled rejection is reported in a later task. Injected images load in a later task, too. */
async function settle(): Promise<void> {
  for (let task = 0; task < 3; task += 1) {
    await new Promise((resolve) => setTimeout(resolve));
  }
}
