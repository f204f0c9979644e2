import {
  fleetDetailSchema,
  fleetListSchema,
  fleetRowsSchema,
  fleetSchema,
  parkedHooksSchema,
  timelineSchema,
} from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServedPlugin } from '../served-plugin.ts';
import { revealedSecrets } from '../testing/revealed-secrets.ts';
import { readSampleManifest } from '../testing/server-world.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;
let cookie: string;

beforeEach(async () => {
  world = await startWorld();
  cookie = await world.signIn();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

async function get(path: string, headers: Record<string, string> = { cookie }) {
  const response = await fetch(`${world.url}/admin/api/fleet${path}`, { headers });
  const body = (await response.json()) as { code?: string; message?: string };
  return { status: response.status, body };
}

test('without a session every page of the fleet answers SIGN_IN_REQUIRED', async () => {
  const paths = [
    '',
    '/rows?ids=x',
    '/installations',
    '/installations/x',
    '/installations/x/timeline',
    '/../hooks',
  ];
  for (const path of paths) {
    const { status, body } = await get(path, {});
    expect([status, body.code]).toEqual([401, 'SIGN_IN_REQUIRED']);
  }
});

const refused = {
  issuer: 'https://other.example.com',
  tenantId: 'd290f1ee-6c54-4b01-90e6-d701748f0851',
  pluginId: '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de',
};

/** An install whose access_token event lacked a scope, and the uninstall that follows. */
async function refuseInstall(): Promise<string> {
  const { id } = await world.store.installations.begin(refused, 1, Date.now());
  const event = { receivedAt: 7, durationMs: 1, status: 402, reason: 'scope_missing' };
  await world.store.events.recordEvent({ ...event, installationId: id, event: 'access_token' });
  await world.store.installations.uninstall(refused, 2);
  return id;
}

test('a refused install is counted, listed with its cause, and described', async () => {
  await world.install();
  const id = await refuseInstall();

  const fleet = fleetSchema.parse((await get('')).body);
  const list = fleetListSchema.parse((await get('/installations?group=broken&search=701748')).body);
  const detail = fleetDetailSchema.parse((await get(`/installations/${id}`)).body);

  expect(fleet.groups).toMatchObject({ working: 1, broken: 1 });
  expect(fleet.causes).toEqual([{ cause: 'scope_missing', count: 1 }]);
  expect(fleet.brokenWithinHour).toBe(1);
  const row = { id, host: 'other.example.com', state: 'install_refused', cause: 'scope_missing' };
  expect(list).toMatchObject({ installations: [row], total: { count: 1, isExact: true } });
  expect(detail.installation).toEqual(list.installations[0]);
  expect(detail.since).toBe(detail.installation.accessEndsAt);
  expect(detail.outages).toMatchObject([{ cause: 'scope_missing', endedAt: null }]);
});

test('the fleet and an installation of it hold no secret', async () => {
  const { installationId: id } = await world.install();
  const secrets = await revealedSecrets(world.store, id);

  const answers = await Promise.all(
    [
      '',
      '/installations',
      `/rows?ids=${id}`,
      `/installations/${id}`,
      `/installations/${id}/timeline`,
    ].map((path) => get(path)),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
  const bodies = answers.map(({ body }) => body);
  for (const secret of secrets) expect(JSON.stringify(bodies)).not.toContain(secret);
  const [, list, rows, detail, timeline] = bodies;
  expect(fleetListSchema.parse(list).installations).toMatchObject([{ id }]);
  expect(timelineSchema.parse(timeline).entries).not.toEqual([]);
  expect(fleetRowsSchema.parse(rows).installations).toMatchObject([{ id, state: 'active' }]);
  const { token, scopes } = fleetDetailSchema.parse(detail);
  expect(token?.renewsFrom).toBeLessThan(token?.expiresAt ?? 0);
  expect(scopes).toMatchObject({ requested: ['plugin:notify'], granted: ['plugin:notify'] });
});

async function servedPlugin(name: string): Promise<ServedPlugin> {
  return {
    name,
    manifest: await readSampleManifest(),
    manifestText: '',
    addresses: [],
    ownRoutes: { ofUsers: [], ofAll: [] },
  };
}

test('an installation shows the scopes that its own plug-in asks for', async () => {
  const polls = await servedPlugin('polls');
  const lunch = await servedPlugin('lunch');
  const withoutAccess = { ...lunch.manifest, apiAccess: undefined };
  const plugins = [polls, { ...lunch, manifest: withoutAccess }];
  await using several = await startWorld({ app: { plugins } });
  const { id } = await several.store.installations.begin(refused, 1, 1, { plugin: 'lunch' });
  const headers = { cookie: await several.signIn() };
  const read = async (path: string) =>
    (await fetch(`${several.url}/admin/api/fleet${path}`, { headers })).json();

  const detail = fleetDetailSchema.parse(await read(`/installations/${id}`));

  expect(detail.scopes.requested).toEqual([]);
  expect(fleetSchema.parse(await read('')).scopes).toEqual(['plugin:notify']);
});

test('an operator learns where the manifest of each plug-in is', async () => {
  const plugins = [await servedPlugin('polls'), await servedPlugin('lunch')];
  await using several = await startWorld({ app: { plugins } });
  const headers = { cookie: await several.signIn() };

  const answer = await fetch(`${several.url}/admin/api/fleet`, { headers });

  const { manifestUrls } = fleetSchema.parse(await answer.json());
  expect(manifestUrls.map((url) => new URL(url).pathname)).toEqual([
    '/polls/manifest.json',
    '/lunch/manifest.json',
  ]);
});

test('parked hooks of all installations are listed with their last error, and counted', async () => {
  const { installationId } = await world.install();
  const parked = { state: 'parked', error: 'DeskError: 503' } as const;
  for (let index = 0; index < 3; index += 1) {
    const facts = { event: 'instanceAdded', generation: 1, data: {} } as const;
    await world.store.hooks.append({ ...facts, installationId });
    const claim = { owner: 'one', limit: 9, leaseMs: 9_000, except: [], handles: () => true };
    const { claimed } = await world.store.hooks.claim(claim);
    for (const each of claimed) await world.store.hooks.settle(each, parked);
  }

  const first = parkedHooksSchema.parse((await get('/../hooks?limit=2')).body);
  const second = parkedHooksSchema.parse((await get(`/../hooks?after=${first.next}`)).body);

  const ids = [...first.deliveries, ...second.deliveries].map(({ id }) => id);
  expect(ids).toEqual([3, 2, 1].map((sequence) => `${installationId}-${sequence}`));
  const installation = { id: installationId };
  const entry = { hook: 'instanceAdded', attempts: 1, lastError: 'DeskError: 503' };
  expect(second).toMatchObject({ deliveries: [{ ...entry, installation }], next: null });
  expect(fleetSchema.parse((await get('')).body).parkedHooks).toBe(3);
});

test('the timeline comes in pages, by kind, the newest first', async () => {
  const { installationId: id } = await world.install();
  const page = async (query: string) =>
    timelineSchema.parse((await get(`/installations/${id}/timeline?${query}`)).body);

  const all = await page('');
  const first = await page('kinds=event&limit=2');
  const second = await page(`kinds=event&limit=2&after=${first.next}`);

  expect(new Set(all.entries.map(({ kind }) => kind))).toEqual(new Set(['event', 'refresh']));
  const times = all.entries.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((one, other) => other - one));
  const events = [...first.entries, ...second.entries];
  expect(events).toEqual(all.entries.filter(({ kind }) => kind === 'event'));
  expect(second.next).toBeNull();
});

test.each([
  ['/installations?limit=0', /^limit: /],
  ['/installations?limit=201', /^limit: /],
  ['/installations?limit=ten', /^limit: /],
  ['/installations?limit=1&limit=2', /^limit: /],
  ['/installations?group=gone', /^group: /],
  ['/installations?state=gone', /^state: /],
  ['/installations?sort=name', /^sort: /],
  ['/installations?after=nonsense', /^after /],
  [`/installations?after=${Buffer.from('[1]').toString('base64url')}`, /^after /],
  ['/installations?search=%00', /^search: must not hold a NUL/],
  [`/installations?search=${'x'.repeat(2_049)}`, /^search: /],
  ['/installations/x/timeline?kinds=event,all', /^kinds/],
  ['/installations/x/timeline?after=nonsense', /^after /],
  ['/../hooks?limit=201', /^limit: /],
  ['/../hooks?after=nonsense', /^after /],
])('%s is a BAD_REQUEST that names what is wrong', async (path, message) => {
  const { status, body } = await get(path);

  expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
  expect(body.message).toMatch(message);
});
