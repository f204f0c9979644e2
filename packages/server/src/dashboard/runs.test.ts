/** Runs: one action on many installations. */
import { randomUUID } from 'node:crypto';
import { type OperatorRole, runListSchema, runSchema } from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signInAs } from '../testing/sign-in-as.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;
let headers: Record<string, string>;

beforeEach(async () => {
  world = await startWorld();
  const cookie = await world.signIn();
  headers = { cookie, 'x-dowel-csrf': '1' };
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const reason = 'scope is granted again';

const as = async (name: string, role: OperatorRole) => ({
  ...headers,
  cookie: await signInAs(world, name, role),
});

const start = (action: string, ids: string[]) =>
  world.post('/admin/api/runs', { action, reason, ids }, headers);

async function readRun(id: string) {
  const response = await fetch(`${world.url}/admin/api/runs/${id}`, { headers });
  return runSchema.parse(await response.json());
}

/** Creates active installations without tokens, and returns their ids. */
async function beginMany(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const key = {
      issuer: 'https://acme.example.com',
      tenantId: randomUUID(),
      pluginId: randomUUID(),
    };
    ids.push((await world.store.installations.begin(key, 1, 1)).id);
  }
  return ids;
}

test('a run does the action to each installation once, and counts what became of it', async () => {
  const { installationId } = await world.install();
  const [silent = ''] = await beginMany(1);

  const started = await start('refresh', [installationId, silent, 'nobody', silent]);

  expect(started.status).toBe(201);
  const { id } = runSchema.parse(await started.json());
  await expect.poll(async () => (await readRun(id)).state).toBe('done');
  expect(await readRun(id)).toMatchObject({
    total: 3,
    done: 1,
    refused: 2,
    refusals: { no_tokens: 1, unknown_installation: 1 },
  });
  const { entries } = await world.store.audit.list({ runId: id, limit: 10 });
  expect(entries.map(({ action }) => action).toSorted()).toEqual([
    'refresh',
    'refresh',
    'refresh',
    'start-run',
  ]);
});

test('a run takes as many chosen installations as the contract allows', async () => {
  const silent = await beginMany(1);
  const ids = [...silent, ...Array.from({ length: 9_999 }, () => randomUUID().padEnd(100, '-'))];

  const response = await world.post('/admin/api/runs', { action: 'test', reason, ids }, headers);

  expect(response.status).toBe(201);
  const { id, total } = runSchema.parse(await response.json());
  expect(total).toBe(10_000);
  await fetch(`${world.url}/admin/api/runs/${id}`, { method: 'DELETE', headers });
  await expect.poll(async () => (await readRun(id)).state).toBe('stopped');
});

test('F23: a run can be stopped, and no second one of its action starts meanwhile', async () => {
  const ids = await beginMany(600);
  const { id } = runSchema.parse(await (await start('pause', ids)).json());

  const second = await start('pause', ids);
  expect(second.status).toBe(409);
  expect(await second.json()).toMatchObject({ code: 'RUN_UNDER_WAY' });
  const stopped = await fetch(`${world.url}/admin/api/runs/${id}`, { method: 'DELETE', headers });
  expect(stopped.status).toBe(200);

  await expect.poll(async () => (await readRun(id)).state).toBe('stopped');
  const { done, total } = await readRun(id);
  expect(done).toBeLessThan(total);
  const found = await Promise.all(ids.map((each) => world.store.operators.find(each)));
  expect(found.filter((each) => each?.pause)).toHaveLength(done);
  const list = await fetch(`${world.url}/admin/api/runs`, { headers });
  expect(runListSchema.parse(await list.json()).runs).toMatchObject([{ id, state: 'stopped' }]);
});

test('F23: a run whose process ends goes on in the next one, and does nothing twice', async () => {
  const ids = await beginMany(600);
  const { id } = runSchema.parse(await (await start('pause', ids)).json());

  world.announceStop();
  await world.drain();
  const left = await world.store.runs.find(id);
  expect(left).toMatchObject({ state: 'running', endedAt: null });
  expect(left?.done).toBeLessThan(ids.length);
  await world.restart();
  await world.resumeRun();

  await expect.poll(async () => (await readRun(id)).state).toBe('done');
  expect(await readRun(id)).toMatchObject({ total: 600, done: 600, unchanged: 0, failed: 0 });
  const { entries } = await world.store.audit.list({ runId: id, limit: 700 });
  expect(entries.filter(({ action }) => action === 'pause')).toHaveLength(600);
  expect(new Set(entries.map(({ who }) => who)).size).toBe(1);
});

test('F23: a run that was left does not wait for the end of another', async () => {
  const ids = await beginMany(600);
  const runs: string[] = [];
  for (const action of ['test', 'pause']) {
    runs.push(runSchema.parse(await (await start(action, ids)).json()).id);
  }
  world.announceStop();
  await world.drain();
  for (const id of runs) expect(await world.store.runs.find(id)).toMatchObject({ endedAt: null });
  await world.restart();

  for (const _ of runs) await world.resumeRun();
  const [, paused = ''] = runs;
  await fetch(`${world.url}/admin/api/runs/${paused}`, { method: 'DELETE', headers });

  await expect.poll(async () => (await readRun(paused)).state).toBe('stopped');
  expect(await start('pause', ids)).toMatchObject({ status: 201 });
});

test('F23: a run of a process that was killed goes on when its lease has ended', async () => {
  const ids = await beginMany(3);
  const actor = { who: 'ada', role: 'operator', way: 'page', from: null } as const;
  const id = randomUUID();
  const run = { id, action: 'pause', reason, actor, accountRevision: null, ids } as const;
  await world.store.runs.begin(run);
  await world.store.runs.claim(30_000, id);

  await world.resumeRun();
  expect(await readRun(id)).toMatchObject({ state: 'running', done: 0 });
  await world.shiftClock(30_001);
  await world.resumeRun();

  await expect.poll(async () => (await readRun(id)).state).toBe('done');
  expect(await readRun(id)).toMatchObject({ done: 3, who: 'ada' });
});

test('F23: a run of a process that was killed repeats no action whose result the audit has', async () => {
  const ids = await beginMany(4);
  const [paused = '', begun = '', refused = ''] = ids;
  const actor = { who: 'ada', role: 'operator', way: 'page', from: null } as const;
  const runId = randomUUID();
  const run = { id: runId, action: 'pause', reason, actor, accountRevision: null, ids } as const;
  await world.store.runs.begin(run);
  await world.store.runs.claim(30_000, runId);
  const [first, , third] = await Promise.all(
    [paused, begun, refused].map((installationId) =>
      world.store.audit.begin({
        ...actor,
        action: 'pause',
        installationId,
        target: null,
        reason,
        runId,
      }),
    ),
  );
  await world.store.audit.end(first ?? 0, { result: 'done', detail: null });
  const meaning = { kind: 'refusal', refusal: 'uninstalled' } as const;
  await world.store.audit.end(third ?? 0, { result: 'refused', detail: null, meaning });

  await world.shiftClock(30_001);
  await world.resumeRun();

  await expect.poll(async () => (await readRun(runId)).state).toBe('done');
  expect(await readRun(runId)).toMatchObject({ done: 3, refused: 1, refusals: { uninstalled: 1 } });
  const found = await Promise.all(ids.map((each) => world.store.operators.find(each)));
  expect(found.map((each) => each?.pause !== null)).toEqual([false, true, false, true]);
});

test('F05, F12: a run stops when the operator who began it is removed', async () => {
  const ids = await beginMany(600);
  const opal = await as('opal', 'operator');
  const body = { action: 'pause', reason, ids };
  const started = await world.post('/admin/api/runs', body, opal);
  const { id } = runSchema.parse(await started.json());

  await world.post('/admin/api/accounts/opal/remove', { reason }, headers);

  await expect.poll(async () => (await readRun(id)).state).toBe('stopped');
  const { done } = await readRun(id);
  expect(done).toBeLessThan(ids.length);
  const paused = await world.store.audit.list({ runId: id, action: 'pause', limit: 600 });
  expect(paused.entries.length).toBe(done);
});

test('a run by scope leaves out an installation whose scope was withdrawn', async () => {
  const { installationId } = await world.install();
  const event = { receivedAt: 7, durationMs: 1, status: 402, reason: 'scope_missing' };
  await world.store.events.recordEvent({ ...event, installationId, event: 'access_token' });
  const filter = { scope: 'plugin:notify' };

  const started = await world.post('/admin/api/runs', { action: 'pause', reason, filter }, headers);

  expect(await started.json()).toMatchObject({ total: 0 });
});

test('a run takes what a filter of the list finds', async () => {
  const { installationId } = await world.install();
  await beginMany(3);
  const filter = { group: 'working' };

  const started = await world.post('/admin/api/runs', { action: 'pause', reason, filter }, headers);

  const { id } = runSchema.parse(await started.json());
  await expect.poll(async () => (await readRun(id)).state).toBe('done');
  expect(await readRun(id)).toMatchObject({ total: 1, done: 1 });
  expect(await world.store.operators.find(installationId)).toMatchObject({ pause: { reason } });
  const both = { action: 'pause', reason, filter, ids: [installationId] };
  expect((await world.post('/admin/api/runs', both, headers)).status).toBe(400);
});

test('F21: a viewer neither starts nor stops a run, and the audit has the attempts', async () => {
  const ids = await beginMany(600);
  const viewer = await as('vic', 'viewer');
  const filter = { group: 'working' };
  const { id } = runSchema.parse(await (await start('pause', ids)).json());

  const answers = [
    await world.post('/admin/api/runs', { action: 'resume', reason, ids }, viewer),
    await world.post('/admin/api/runs', { action: 'resume', reason, filter }, viewer),
    await fetch(`${world.url}/admin/api/runs/${id}`, { method: 'DELETE', headers: viewer }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect(await readRun(id)).toMatchObject({ state: 'running' });
  const { entries } = await world.store.audit.list({ who: 'vic', limit: 10 });
  const detail = 'This needs the role operator; yours is viewer';
  const meaning = { kind: 'role_missing', needed: 'operator', own: 'viewer' };
  const refused = { result: 'refused', detail, meaning };
  expect(entries.filter(({ action }) => action !== 'sign-in')).toMatchObject([
    { action: 'stop-run', target: 'pause', runId: id, ...refused },
    // The same attempt again is counted.
    { action: 'start-run', target: 'resume', reason, count: 2, ...refused },
  ]);
});

test('an unknown run is not found', async () => {
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(`${world.url}/admin/api/runs/nobody`, { method, headers });
    expect(response.status).toBe(404);
  }
});
