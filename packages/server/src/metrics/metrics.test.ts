/** `/metrics` of a started server: its labels, and its listener. */
import { createServer as createHost } from 'node:http';
import { explainReason } from '@dowel/schema';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { defineOperation } from '../operations/define-operation.ts';
import type { CommonOptions } from '../server-options.ts';
import { closeHost, listenOnLoopback } from '../testing/loopback.ts';
import {
  installAt,
  openSessionAt,
  type ServerWorld,
  sessionTokenAt,
  startServerWorld,
} from '../testing/server-world.ts';
import { labelValues } from './label-values.ts';

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const metrics: CommonOptions['metrics'] = { port: 0 };

function metricsUrl(): string {
  const line = world.lines.find(({ message }) => message === 'metrics.listening');
  return `http://127.0.0.1:${String(line?.fields.port)}/metrics`;
}

const scrape = async () => (await fetch(metricsUrl())).text();

interface Sample {
  name: string;
  labels: Map<string, string>;
  value: number;
}

function readSamples(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)];
      const ofSample = new Map(pairs.map(([, label = '', of = '']) => [label, of]));
      return { name, labels: ofSample, value: Number(value) };
    });
}

function isAllowed([label, value]: [string, string]): boolean {
  if (label === 'reason') return value === '' || explainReason(value) !== undefined;
  if (label === 'version') return /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(value);
  if (label === 'le' || label === 'quantile') return value === '+Inf' || Number(value) >= 0;
  return labelValues[label]?.includes(value) ?? false;
}

/** A server with events, sessions, hooks and calls, each also refused or failed. */
async function startBusyServer() {
  const server = world.create({
    metrics,
    operations: { vote },
    hooks: {
      installed() {},
      instanceAdded() {
        throw new Error(`Not for ${world.tenantId}`);
      },
    },
  });
  const { url } = await server.start();
  const { instanceId, pluginId } = await installAt(world, url);
  for (const _ of [1, 2]) await openSessionAt(world, url, instanceId, 'the same jti');
  const token = await sessionTokenAt(world, url, instanceId);
  for (const _ of [1, 2]) await post(`${url}/api/vote`, token, '{}');
  await post(`${url}/lifecycle/install`, 'nobody', 'no JWT');
  await server.hooks.runDue();
  for await (const installation of server.installations.list()) {
    const platform = server.platform(installation);
    const notification = { recipientId: world.userId, message: 'Lunch?' };
    await server.notify({ installation, instanceId }, notification);
    await (await platform.fetch('/api/nothing')).body?.cancel();
    await world.platform.uninstall({ tenantId: world.tenantId, pluginId });
    await expect(platform.fetch('/api/nothing')).rejects.toThrow();
  }
  return { server, url, pluginId, instanceId };
}

const vote = defineOperation({
  input: z.object({}),
  output: z.object({}),
  scopes: [],
  limit: { perUserPerMinute: 1 },
  run: () => ({}),
});

const post = (url: string, token: string, body: string) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  });

const countOf = (samples: readonly Sample[], name: string, labels: Record<string, string> = {}) =>
  samples
    .filter((each) => each.name === name)
    .filter((each) =>
      Object.entries(labels).every(([label, value]) => each.labels.get(label) === value),
    )
    .reduce((sum, { value }) => sum + value, 0);

test('the metrics of a busy server have labels of closed lists, and name no tenant, host or URL', async () => {
  const { pluginId, instanceId, url } = await startBusyServer();

  const text = await scrape();

  const samples = readSamples(text);
  const open = samples.flatMap(({ name, labels }) =>
    [...labels]
      .filter((label) => !isAllowed(label))
      .map(([label, value]) => `${name} ${label}=${value}`),
  );
  expect(open).toEqual([]);
  const { tenantId, issuer, userId } = world;
  const names = [tenantId, pluginId, instanceId, userId, issuer, url].flatMap((name) => [
    name,
    name.replace(/^https?:\/\//, ''),
  ]);
  expect(names.filter((name) => text.includes(name))).toEqual([]);
  expect(text).not.toMatch(/:\/\/|localhost|127\.0\.0\.1/);
});

test('what a busy server did is counted', async () => {
  const { server } = await startBusyServer();
  await server.hooks.runDue();

  const samples = readSamples(await scrape());

  const count = (name: string, labels?: Record<string, string>) => countOf(samples, name, labels);
  expect({
    installs: count('dowel_events_total', { event: 'install', outcome: 'ok' }),
    refused: count('dowel_events_total', { event: 'install', reason: 'bad_request' }),
    timed: count('dowel_event_seconds_count', { event: 'access_token' }),
    exchanges: count('dowel_token_requests_total', { kind: 'exchange', outcome: 'ok' }),
    sessions: count('dowel_sessions_opened_total'),
    refusedSessions: count('dowel_sessions_refused_total', { reason: 'session_replay' }),
    delivered: count('dowel_hooks_total', { event: 'installed', outcome: 'delivered' }),
    failed: count('dowel_hooks_total', { event: 'instanceAdded', outcome: 'failed' }),
    answered: count('dowel_calls_total', { status: '2xx' }),
    notFound: count('dowel_calls_total', { status: '4xx' }),
    timedCalls: count('dowel_call_seconds_count'),
    ended: count('dowel_calls_refused_total', { code: 'GRANT_NOT_FOUND' }),
    limited: count('dowel_calls_refused_total', { code: 'RATE_LIMITED' }),
    available: count('dowel_database_available'),
    listens: count('dowel_listener_up'),
    builds: count('dowel_build_info'),
  }).toEqual({
    installs: 1,
    refused: 1,
    timed: 1,
    exchanges: 1,
    sessions: 2,
    refusedSessions: 1,
    delivered: 1,
    failed: 1,
    answered: 1,
    notFound: 1,
    timedCalls: 2,
    ended: 1,
    limited: 1,
    available: 1,
    listens: 1,
    builds: 1,
  });
});

test('the process that stores the sample of the minute says how many installations there are', async () => {
  const first = world.create();
  const { url } = await first.start();
  await installAt(world, url);
  await first.close();
  const now = () => Date.now() + 120_000;
  const { path } = world.common.database as { path: string };

  await world.create({ metrics, now, database: { path, now } }).open();

  await expect
    .poll(async () => countOf(readSamples(await scrape()), 'dowel_installations'))
    .toBe(1);
});

test('metrics are served at their own port only, with a mounted server too, and until the database is closed', async () => {
  const server = world.create({ metrics });
  const host = createHost(server.callback());
  const origin = await listenOnLoopback(host);
  onTestFinished(() => closeHost(host));
  await server.open();
  const url = metricsUrl();

  expect((await fetch(url)).headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect((await fetch(new URL('/readyz', url))).status).toBe(404);
  expect((await fetch(url, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${origin}/metrics`)).status).toBe(404);
  await server.drain();
  expect((await fetch(url)).status).toBe(200);
  await server.close();
  await expect(fetch(url)).rejects.toThrow();
});

test('without a port nothing listens; one that is in use ends the start, and says how to go on', async () => {
  await world.create().start();
  expect(world.lines.map(({ message }) => message)).not.toContain('metrics.listening');
  const taken = createHost();
  onTestFinished(() => closeHost(taken));
  const port = Number(new URL(await listenOnLoopback(taken)).port);

  await expect(world.create({ metrics: { port } }).start()).rejects.toThrow(
    `Port ${port} is in use: stop the program that uses it, or choose another port with DOWEL_METRICS_PORT or the option metrics.port.`,
  );
});
