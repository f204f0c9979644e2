import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { openKeyring, openStore } from '@dowel/installation-store';
import type { Server } from '@dowel/server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { callCommand } from './testing/call-command.ts';
import { startBackEnd } from './testing/start-back-end.ts';

let folder: string;
let id: string;
let server: Server;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  expect(await dowel('keys', 'create')).toMatchObject({ code: 0 });
  id = await withStore(async ({ installations }) => {
    const issuer = 'https://acme.example.com';
    const tenantId = 'd290f1ee-6c54-4b01-90e6-d701748f0851';
    const pluginId = '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de';
    return (await installations.begin({ issuer, tenantId, pluginId }, 1, 1)).id;
  });
  server = await startBackEnd(folder);
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

async function withStore<Result>(
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<Result>,
): Promise<Result> {
  const keyring = openKeyring({ path: join(folder, 'encryption.key'), production: true });
  const store = await openStore({ path: join(folder, 'dowel.sqlite'), keyring });
  return work(store).finally(() => store.close());
}

function dowel(...args: string[]) {
  return callCommand({ args, folder, settings: { NODE_ENV: 'production' } });
}

const why = ['--reason', 'the tenant asked for it'];

test('an action is done, and is in the audit as one of the command line', async () => {
  expect(await dowel('pause', id, ...why)).toMatchObject({ code: 0, err: '' });
  expect((await dowel('pause', id, ...why)).out).toContain('paused already');

  const [entry] = await withStore(async ({ audit }) => (await audit.list({ limit: 1 })).entries);
  expect(entry).toMatchObject({
    who: userInfo().username,
    way: 'cli',
    action: 'pause',
    result: 'unchanged',
    reason: 'the tenant asked for it',
  });
  const listed = await dowel('audit');
  expect(listed.out).toContain('acme.example.com');
  expect(listed.out).toContain('It was paused already.');
});

test('a user is erased, and the audit has no id of the person', async () => {
  const userId = randomUUID();
  const session = { installationId: id, generation: 1, userId, instanceId: 'i', expiresAt: 10 };
  await withStore(({ sessions }) => sessions.createPluginSession('hash', session, 'jti'));
  const erase = (...args: string[]) => dowel('erase', '--user', userId, ...args);

  expect((await erase('--reason', `asked by ${userId}`)).err).toContain('--reason: must not');
  expect((await erase('--tenant', 'acme', ...why)).err).toContain('--tenant:');
  expect((await dowel('erase', ...why)).err).toContain('--user:');
  expect(await erase('--tenant', 'd290f1ee-6c54-4b01-90e6-d701748f0851', ...why)).toEqual({
    code: 0,
    out: 'Erased the user from 1 row; the sessions have ended.\n',
    err: '',
  });
  expect((await erase(...why)).out).toBe('Nothing is stored of this user.\n');

  const listed = await dowel('audit');
  expect(listed.out).toContain('erase-user');
  expect(listed.out).not.toContain(userId);
});

test('what an operator wrote adds no line to the audit, and moves no cursor', async () => {
  const forged = 'abc\u001b[2K\r\n2026-11-24T08:00:00.000Z  boss  purge  done\u2028\u202e';
  await withStore(async ({ audit }) => {
    await audit.begin({
      role: 'viewer',
      way: 'page',
      from: null,
      action: 'pause',
      who: forged,
      target: forged,
      reason: forged,
      installationId: null,
      runId: null,
    });
  });

  const { out } = await dowel('audit');
  expect(out).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Zl}]/u);
  expect(out.split('\n').filter((line) => line.startsWith('2026-11-24T08'))).toEqual([]);
});

test('the audit says in words how an operator signed in', async () => {
  const signIn = { role: 'owner', way: 'page', from: null, action: 'sign-in', who: 'ada' } as const;
  const entry = { ...signIn, target: 'oidc', reason: null, installationId: null, runId: null };
  await withStore(async ({ audit }) => {
    await audit.begin(entry);
  });

  const { out } = await dowel('audit');
  expect(out).toContain('ada  sign-in  single sign-on  ');
});

test('a refusal names the action, the reason and an alternative, and ends with 1', async () => {
  const refused = await dowel('refresh', id, ...why);

  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('The tokens were not refreshed. It has no tokens yet. Wait for');
});

test('a record is kept no shorter than without the command', async () => {
  await withStore(async (store) => {
    const installation = await store.installations.get(id);
    if (!installation) throw new Error('There is no installation');
    await store.transaction(({ installations }) => installations.uninstall(installation, 2));
  });
  const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();

  const refused = await dowel('keep', id, ...why, '--until', tomorrow);

  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('The record is kept until then anyway, or the date is too far');
});

test('a back end that does not run is named, with its address', async () => {
  await server.close();

  const { code, out, err } = await dowel('pause', id, ...why);

  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /^The back end does not answer at http:\/\/localhost:\d+ \(ECONNREFUSED\)\. This command needs it running\./,
  );
});

test('a back end with another database does nothing', async () => {
  const other = await mkdtemp(join(tmpdir(), 'dowel-cli-'));
  await using running = await startBackEnd(other);
  const { url } = await running.start();

  const refused = await callCommand({
    args: ['pause', id, ...why],
    folder,
    settings: { DOWEL_PUBLIC_URL: url },
  });

  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain(`${url} does not know this database: it uses another one`);
  await running.close();
  await rm(other, { recursive: true });
});

test.each([
  { case: 'answers something else', status: 502, message: 'is not the back end: it answered 502' },
  { case: 'redirects', status: 302, message: 'does not answer at' },
])('F33: a program that $case gets no second request', async ({ status, message }) => {
  let requests = 0;
  const host = createServer((_request, response) => {
    requests += 1;
    response.writeHead(status, { location: '/' }).end('<h1>');
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const { port } = host.address() as AddressInfo;
  const settings = { DOWEL_PUBLIC_URL: `http://127.0.0.1:${port}` };

  const refused = await callCommand({ args: ['audit'], folder, settings });

  expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining(message) });
  expect(requests).toBe(1);
  host.close();
});

test('a call without reason, with a wrong option or two ids does nothing', async () => {
  for (const [code, ...args] of [
    [2, 'pause', id],
    [2, 'pause', id, '--reson', 'the tenant asked for it'],
    [2, 'pause', id, id, ...why],
    [2, 'pause', id, ...why, '--until', '2027-01-01'],
    [2, 'keep', id, ...why, '--until', 'soon'],
  ] as const) {
    expect(await dowel(...args), args.join(' ')).toMatchObject({ code, out: '' });
  }
  expect(await withStore(({ operators }) => operators.find(id))).toMatchObject({ pause: null });
});

test.each([
  [['pause'], '--reason: '],
  [['keep', ...why, '--until', 'soon'], '--until must be a date, such as 2027-01-31'],
  [['keep', ...why, '--until', '2027-02-31'], '--until must be a date, such as 2027-01-31'],
  [['keep', ...why], '--until: This is missing'],
  [['replay-hook', ...why], '--hook: This is missing'],
  [['purge', ...why], '--name: This is missing'],
])('%j names the option that is wrong', async ([command = '', ...options], message) => {
  const { code, err } = await dowel(command, id, ...options);

  expect(code).toBe(2);
  expect(err).toContain(message);
});
