/** The export of the list: whole, by filter, audited, and no faster than its reader. */
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { auditListSchema, fleetRowsSchema } from '@dowel/admin-api';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { revealedSecrets } from '../testing/revealed-secrets.ts';
import { signInAs } from '../testing/sign-in-as.ts';
import { startWorld, type World } from '../testing/start-world.ts';
import { streamFile } from './fleet-export.ts';

let world: World;
let cookie: string;
let now: number;

beforeEach(async () => {
  now = Date.now();
  world = await startWorld({ app: { now: () => now } });
  cookie = await world.signIn();
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const get = (path: string, headers: Record<string, string> = { cookie }) =>
  fetch(`${world.url}/admin/api/${path}`, { headers });

/** Creates installations that have received only the install event. */
async function begin(count: number): Promise<void> {
  await world.store.transaction(async ({ installations }) => {
    for (let index = 0; index < count; index += 1) {
      const issuer = `https://t${index}.example.com`;
      await installations.begin({ issuer, tenantId: `tenant-${index}`, pluginId: 'p' }, 1, 1);
    }
  });
}

async function listExports() {
  const { entries } = auditListSchema.parse(await (await get('audit?action=export')).json());
  return entries.map(({ result, target, detail, meaning }) => ({
    result,
    target,
    detail,
    meaning,
  }));
}

/** Returns the response before anything is read from it. */
async function open(path: string, headers = { cookie }): Promise<IncomingMessage> {
  const request = httpGet(`${world.url}/admin/api/${path}`, { headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

test('without a session nothing is exported', async () => {
  expect((await get('fleet/export?format=csv', {})).status).toBe(401);
  expect(await listExports()).toEqual([]);
});

test('JSON has each installation once, over many pages', async () => {
  await begin(350);

  const response = await get('fleet/export?format=json');

  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="dowel-installations-\d{4}-\d\d-\d\d\.json"$/,
  );
  const { installations } = fleetRowsSchema.parse(await response.json());
  expect(new Set(installations.map(({ id }) => id)).size).toBe(350);
  await vi.waitFor(async () => {
    expect(await listExports()).toEqual([
      {
        result: 'done',
        target: null,
        detail: '350 installations, json.',
        meaning: { kind: 'exported', count: 350, format: 'json', isWhole: true },
      },
    ]);
  }, 120_000);
});

test('CSV has the filtered list only, with harmless cells, and the audit names the filter', async () => {
  const { installationId: id } = await world.install();
  await begin(3);
  await world.store.transaction(({ operators }) =>
    operators.describe(id, { name: '=HYPERLINK("http://x","y")' }),
  );

  const response = await get('fleet/export?format=csv&group=working');

  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const bytes = Buffer.from(await response.arrayBuffer()).toString('utf8');
  const [header, row, ...rest] = bytes.split('\r\n');
  expect(header).toMatch(/^\u{feff}id,name,host,tenant_id,plugin_id,state,cause,broken_since,/u);
  expect(row).toContain(`${id},"'=HYPERLINK(""http://x"",""y"")",`);
  expect(row).toContain(',active,');
  expect(rest).toEqual(['']);
  await vi.waitFor(async () => {
    expect(await listExports()).toEqual([
      {
        result: 'done',
        target: 'group=working',
        detail: '1 installations, csv.',
        meaning: { kind: 'exported', count: 1, format: 'csv', isWhole: true },
      },
    ]);
  }, 120_000);
});

test('CSV for German spreadsheets has semicolons and German names', async () => {
  const response = await get('fleet/export?format=csv&language=de');

  expect(await response.text()).toMatch(/^id;name;host;tenant_id;plugin_id;zustand;/);
});

/** Uninstalls it, or refuses an event of it because the scope is not there any more. */
async function loseScope(installationId: string, how: 'uninstalled' | 'withdrawn'): Promise<void> {
  const { installations, events } = world.store;
  if (how === 'uninstalled') {
    const installation = await installations.get(installationId);
    if (installation) await installations.uninstall(installation, Math.ceil(now / 1_000) + 60);
    return;
  }
  const event = { receivedAt: now, durationMs: 1, status: 402, reason: 'scope_missing' };
  await events.recordEvent({ ...event, installationId, event: 'access_token' });
}

test.each(['uninstalled', 'withdrawn'] as const)(
  'an export by scope leaves out an installation that is %s, although it was granted the scope',
  async (how) => {
    const { installationId } = await world.install();
    const read = async () => {
      const response = await get('fleet/export?format=json&scope=plugin:notify');
      return fleetRowsSchema.parse(await response.json()).installations.map(({ id }) => id);
    };
    expect(await read()).toEqual([installationId]);

    await loseScope(installationId, how);

    await vi.waitFor(async () => expect(await read()).toEqual([]), 120_000);
  },
);

test('the audit has the filter without control characters', async () => {
  const query = new URLSearchParams({
    format: 'csv',
    search: 'a\n2026 done\u001b[2J\u009b',
    cause: 'b\rc',
  });

  await (await get(`fleet/export?${query.toString()}`)).text();

  const target = 'search=a 2026 done [2J &cause=b c';
  await vi.waitFor(async () => expect(await listExports()).toMatchObject([{ target }]), 120_000);
});

test('an empty list is an empty file of its format', async () => {
  const json = fleetRowsSchema.parse(await (await get('fleet/export?format=json')).json());
  const csv = await (await get('fleet/export?format=csv')).text();

  expect(json.installations).toEqual([]);
  expect(csv.trimEnd().split('\r\n')).toHaveLength(1);
});

test('an export holds no secret', async () => {
  const { installationId: id } = await world.install();
  const secrets = await revealedSecrets(world.store, id);

  for (const format of ['csv', 'json']) {
    // One after the other: an operator has one export at a time.
    const response = await get(`fleet/export?format=${format}`);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain(id);
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
});

test('no more than a page is read ahead of the client', async () => {
  await begin(1_000);
  const listFleet = vi.spyOn(world.store.reports, 'listFleet');
  const { stream } = streamFile(
    { store: world.store, now: Date.now, mayGoOn: async () => true },
    { format: 'csv', language: 'en', filter: {} },
  );

  await once(stream, 'readable');
  stream.read();
  for (let index = 0; index < 20; index += 1) await world.store.reports.listPluginIds();
  stream.destroy();

  expect(listFleet.mock.calls.length).toBeLessThanOrEqual(3);
});

test('an export that no client reads ends by itself', async () => {
  await begin(500);
  const mayGoOn = async () => true;
  const context = { store: world.store, now: Date.now, mayGoOn, maxBlockedMs: 10 };
  const { stream, progress } = streamFile(context, { format: 'json', language: 'en', filter: {} });

  await once(stream, 'close');

  expect(progress.isWhole).toBe(false);
});

test('a client that leaves ends its export, and the audit says how far it came', async () => {
  await begin(350);
  const held = holdExports();
  const response = await open('fleet/export?format=json');
  await held.reached(1);

  response.destroy();
  // A request of its own: when it is answered, the server has seen the end of the other connection.
  expect(await listExports()).toMatchObject([{ result: 'begun' }]);
  held.release();

  await vi.waitFor(async () => {
    expect(await listExports()).toMatchObject([{ result: 'failed' }]);
  }, 120_000);
  expect((await listExports())[0]?.detail).toMatch(/^Stopped after \d+ installations, json\.$/);
});

test('a third export at the same time has to wait, and one that ends makes room', async () => {
  await begin(350);
  const another = { cookie: await signInAs(world, 'vic', 'viewer') };
  const third = { cookie: await signInAs(world, 'val', 'viewer') };
  const held = holdExports();
  const running = [
    await open('fleet/export?format=json'),
    await open('fleet/export?format=json', another),
  ];
  await held.reached(2);

  const refused = await get('fleet/export?format=json', third);
  for (const response of running) response.destroy();
  held.release();

  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await refused.json()).toMatchObject({ code: 'EXPORT_UNDER_WAY' });
  await vi.waitFor(async () => {
    const again = await get('fleet/export?format=json&search=nothing-has-this');
    expect(again.status).toBe(200);
    await again.text();
  }, 120_000);
});

test('an operator has one export at a time, which does not block others', async () => {
  await begin(350);
  const viewer = { cookie: await signInAs(world, 'vic', 'viewer') };
  const held = holdExports();
  const running = await open('fleet/export?format=json', viewer);
  await held.reached(1);

  const second = await get('fleet/export?format=json', viewer);
  const other = await get('fleet/export?format=json&search=nothing-has-this');
  running.destroy();
  held.release();

  expect(second.status).toBe(503);
  expect(await second.json()).toMatchObject({
    message: 'Your last export is under way. Wait for its end.',
  });
  expect(other.status).toBe(200);
  await other.text();
});

/** Exports stop at their second page until they are released. */
function holdExports() {
  const gate = Promise.withResolvers<void>();
  let count = 0;
  duringExport(async () => {
    count += 1;
    await gate.promise;
  });
  return {
    release: () => gate.resolve(),
    reached: (wanted: number) => expect.poll(() => count).toBe(wanted),
  };
}

/** Happens while the second of several pages is read. */
function duringExport(happen: () => Promise<unknown>): void {
  const { reports } = world.store;
  const listFleet = reports.listFleet.bind(reports);
  vi.spyOn(reports, 'listFleet').mockImplementation(async (query) => {
    if (query.after !== undefined) await happen();
    return listFleet(query);
  });
}

test.each([
  ['its operator is removed', () => world.store.accounts.removeAccount('vic')],
  ['its operator gets another role', () => world.store.accounts.changeRole('vic', 'owner')],
  ['its session is ended', endSessions],
  ['the server closes', async () => world.announceStop()],
])('F05: an export breaks off when %s, and is not taken for whole', async (_, happen) => {
  await begin(350);
  const viewer = { cookie: await signInAs(world, 'vic', 'viewer') };
  duringExport(happen);

  const response = await get('fleet/export?format=csv', viewer);
  await expect(response.text()).rejects.toThrow();

  await vi.waitFor(async () => {
    const { entries } = await world.store.audit.list({ action: 'export', limit: 10 });
    expect(entries).toMatchObject([
      { who: 'vic', result: 'failed', detail: 'Stopped after 200 installations, csv.' },
    ]);
  }, 120_000);
});

async function endSessions(): Promise<void> {
  const sessions = await world.store.accounts.listSessions(Date.now());
  for (const { id } of sessions) await world.store.accounts.endSession(id);
}

test('F05: an export breaks off at the absolute limit of its session', async () => {
  await begin(350);
  duringExport(async () => {
    now += 12 * 60 * 60 * 1000;
  });

  const response = await get('fleet/export?format=json');

  await expect(response.text()).rejects.toThrow();
});

test('without a format it is a BAD_REQUEST, and nothing is in the audit', async () => {
  const response = await get('fleet/export');

  expect(response.status).toBe(400);
  const { message } = (await response.json()) as { message: string };
  expect(message).toMatch(/^format: /);
  expect(await listExports()).toEqual([]);
});
