/** The doctor on the emulator's own server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PlainBackEnd, startPlainBackEnd } from '@dowel/conformance/testing';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type RunningPlatform, startPlatform } from '../platform/start-platform.ts';
import type { Examination } from './examination-schema.ts';
import { createExaminations } from './examinations.ts';

let running: RunningPlatform;
let cookie: string;

beforeEach(async () => {
  running = await startPlatform({
    port: 0,
    sampleManifestUrl: 'http://localhost:1/manifest.json',
    onError: (error) => {
      throw error;
    },
    platform: { keyBits: 2048 },
  });
  const userId = running.platform.tenants[0]?.users[0]?.userId ?? '';
  const response = await fetch(running.platform.signInUrl(userId), { redirect: 'manual' });
  cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterEach(() => running.close());

async function install(mistake?: 'page.framing'): Promise<string> {
  const backEnd: PlainBackEnd = await startPlainBackEnd({ trusts: running.url, mistake });
  onTestFinished(backEnd.close);
  const { tenantId = '' } = running.platform.tenants[0] ?? {};
  const { manifestUrl } = backEnd;
  const { pluginId } = await running.platform.install({ tenantId, manifestUrl });
  return pluginId;
}

async function request(method: string, pluginId: string, headers: Record<string, string> = {}) {
  const url = `${running.url}/control/plugins/${pluginId}/examination`;
  const response = await fetch(url, { method, headers: { cookie, ...headers } });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as Examination };
}

async function readWhenDone(pluginId: string): Promise<Examination> {
  await vi.waitUntil(async () => !(await request('GET', pluginId)).body.isRunning, {
    timeout: 60_000,
    interval: 200,
  });
  return (await request('GET', pluginId)).body;
}

test('a back end that trusts the emulator is examined at the emulator’s own address', async () => {
  const pluginId = await install('page.framing');
  const before = running.platform.exchanges().length;
  expect(await request('GET', pluginId)).toMatchObject({ status: 204 });

  const started = await request('POST', pluginId);
  const done = await readWhenDone(pluginId);

  expect(started).toMatchObject({ status: 202, body: { isRunning: true, done: 0, problem: null } });
  expect(done).toMatchObject({ problem: null, blocked: 0, done: done.total });
  expect(done.findings).toMatchObject([
    { id: 'page.framing', verdict: 'fail', saw: expect.stringContaining('frame-ancestors') },
  ]);
  expect(done.passed).toBeGreaterThan(40);
  expect(done.notAsked.sort()).toEqual(['--browser', '--call', '--slow', '--start']);
  expect(done.command).toMatch(/^dowel doctor \S+ --origin http:\/\/localhost:\d+$/);
  expect(running.platform.exchanges()).toHaveLength(before);
}, 90_000);

test('one back end is examined at a time', async () => {
  const pluginId = await install();

  await request('POST', pluginId);

  expect(await request('POST', pluginId)).toMatchObject({
    status: 409,
    body: { code: 'EXAMINATION_IN_PROGRESS' },
  });
});

test('the end of the examinations ends a run', async () => {
  const host = createServer({ keepAliveTimeout: 120_000 });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    host.close();
    host.closeAllConnections();
  });
  const origin = `http://localhost:${(host.address() as AddressInfo).port}`;
  const backEnd = await startPlainBackEnd({ trusts: origin });
  onTestFinished(backEnd.close);
  const onError = vi.fn();
  const examinations = createExaminations({ origin, keyBits: 2048, onError });
  host.on('request', (request, response) => void examinations.answer(request, response));
  const patient = { tenantId: 't1', pluginId: 'p1', manifestUrl: backEnd.manifestUrl };

  examinations.start(patient);
  await vi.waitUntil(() => (examinations.find(patient)?.done ?? 0) > 0, { timeout: 60_000 });
  await examinations.close();

  expect(examinations.find(patient)).toMatchObject({
    isRunning: false,
    problem: 'The run was ended.',
  });
  expect(onError).not.toHaveBeenCalled();
});

test.each([
  ['somebody who has not signed in', { cookie: '' }, 401],
  ['a page of another origin', { origin: 'null' }, 403],
])('%s cannot examine', async (_, headers, status) => {
  const pluginId = await install();

  expect(await request('POST', pluginId, headers)).toMatchObject({ status });
  expect(await request('GET', pluginId)).toMatchObject({ status: 204 });
});

test('what is not installed is not examined', async () => {
  expect(await request('POST', 'nothing')).toMatchObject({ status: 404 });
});
