/** A host without CPU time: signed events that arrive while the back end mostly stands still. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPlatform, type Platform } from './signed-events.ts';

export interface Starved {
  /** How long the process may run in each 100 ms. */
  runsMs: number;
  events: number;
  /** Answered with 201. */
  accepted: number;
  p50Ms: number;
  maxMs: number;
}

const periodMs = 100;
/** Now and then the host gives nothing for a while. */
const stall = { everyMs: 5_000, ms: 450 };
const perSecond = 20;
const seconds = 60;

export async function measureStarved(): Promise<Starved[]> {
  const results: Starved[] = [];
  for (const runsMs of [periodMs, 13]) results.push(await measure(runsMs));
  return results;
}

async function measure(runsMs: number): Promise<Starved> {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-bench-starved-'));
  let platform: Platform | undefined;
  const keyHost = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(platform?.keyDocument));
  });
  await once(keyHost.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(keyHost.address() as AddressInfo).port}`;
  platform = createPlatform(origin);
  const { child, url } = await startBackEnd(folder, origin);
  const ending = new AbortController();
  const starving = runsMs < periodMs ? starve(child, runsMs, ending.signal) : undefined;
  const answers = await sendEvents(url, platform);
  ending.abort();
  await starving;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  keyHost.close();
  await rm(folder, { recursive: true });
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    runsMs,
    events: answers.length,
    accepted: answers.filter(({ status }) => status === 201).length,
    p50Ms: times[Math.floor(times.length / 2)] ?? Number.NaN,
    maxMs: times.at(-1) ?? Number.NaN,
  };
}

async function startBackEnd(folder: string, origin: string) {
  const child = fork(fileURLToPath(new URL('../apps/bff/src/main.ts', import.meta.url)), {
    env: {
      ...process.env,
      DOWEL_PORT: '0',
      DOWEL_DATA_DIR: folder,
      DOWEL_MANIFEST: fileURLToPath(new URL('../manifest.json', import.meta.url)),
      DOWEL_TRUST: `${origin}=${origin}/keys/`,
      DOWEL_LOG_LEVEL: 'error',
    },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [ready] = (await once(child, 'message')) as [{ url: string }];
  return { child, url: ready.url.replace('localhost', '127.0.0.1') };
}

/** Stops and continues the process, until the signal. */
async function starve(child: ChildProcess, runsMs: number, ending: AbortSignal): Promise<void> {
  let stallsAt = performance.now() + stall.everyMs;
  while (!ending.aborted) {
    child.kill('SIGSTOP');
    const isStall = performance.now() > stallsAt;
    if (isStall) stallsAt += stall.everyMs;
    await pause(isStall ? stall.ms : periodMs - runsMs);
    child.kill('SIGCONT');
    await pause(runsMs);
  }
}

/** Each is the installation of another tenant. They are sent at their times, whether or not earlier ones are answered. */
async function sendEvents(url: string, platform: Platform) {
  const tokens = Array.from({ length: perSecond * seconds }, () =>
    platform.sign({ sub: 'install', tenantId: randomUUID() }),
  );
  const answers: Promise<{ status: number; ms: number }>[] = [];
  const startedAt = performance.now();
  for (const [index, token] of tokens.entries()) {
    await pause(Math.max(0, startedAt + (index * 1_000) / perSecond - performance.now()));
    answers.push(post(url, token));
  }
  return Promise.all(answers);
}

async function post(url: string, token: string): Promise<{ status: number; ms: number }> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/lifecycle/install`, {
    method: 'POST',
    body: new URLSearchParams({ token }),
  });
  await response.body?.cancel();
  return { status: response.status, ms: performance.now() - startedAt };
}
