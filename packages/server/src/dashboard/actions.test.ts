/** Operators' actions through the dashboard's API, and their rows in the audit. */
import { randomUUID } from 'node:crypto';
import { auditListSchema } from '@dowel/admin-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashToken } from '../sessions/opaque-token.ts';
import { revealedSecrets } from '../testing/revealed-secrets.ts';
import { startWorld, type World } from '../testing/start-world.ts';

let world: World;
let cookie: string;
let isPlatformAway: boolean;

const fetchFromPlatform: typeof fetch = (...request) =>
  isPlatformAway
    ? Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }))
    : fetch(...request);

beforeEach(async () => {
  isPlatformAway = false;
  world = await startWorld({ app: { fetch: fetchFromPlatform } });
  cookie = await signInAs('owner');
});

afterEach(async () => {
  await world[Symbol.asyncDispose]();
});

const reason = 'tenant asked for it';

/** A session of this role, as a sign-in would open it. */
async function signInAs(role: 'viewer' | 'operator' | 'owner'): Promise<string> {
  const token = randomUUID();
  const ahead = Date.now() + 60 * 60 * 1000;
  await world.store.sessions.createAdminSession(hashToken(token), {
    id: randomUUID(),
    name: `${role}.desk`,
    role,
    method: 'code',
    identity: { method: 'code', issuer: null, subject: `${role}.desk` },
    accountRevision: null,
    createdAt: Date.now(),
    expiresAt: ahead,
    idleAt: ahead,
    address: null,
    browser: null,
    system: null,
  });
  return `dowel_admin=${token}`;
}

async function act(
  id: string,
  action: string,
  body: object = { reason },
  as = cookie,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { cookie: as, 'x-dowel-csrf': '1' };
  const response = await world.post(
    `/admin/api/installations/${id}/actions/${action}`,
    body,
    headers,
  );
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function readAudit(query = '') {
  const response = await fetch(`${world.url}/admin/api/audit${query}`, { headers: { cookie } });
  return auditListSchema.parse(await response.json()).entries;
}

/** The tenant of this installation has the plug-in under another issuer, too, with tokens of a newer event. */
async function moveTenant(id: string): Promise<string> {
  const old = await world.store.installations.get(id);
  const grant = await world.store.grants.load(id);
  if (!old || !grant) throw new Error('It is not installed');
  const { tenantId, pluginId, beganIat } = old;
  const iat = beganIat + 60;
  return world.store.transaction(async ({ installations, grants }) => {
    const key = { issuer: 'https://moved.example.com', tenantId, pluginId };
    const moved = await installations.begin(key, iat, Date.now());
    await grants.replace(moved, grant, grant, { iat, newestIat: iat });
    return moved.id;
  });
}

describe('an action', () => {
  test('ends an installation whose tenant has a newer address, and calls the hook, but not the newer one', async () => {
    const told: unknown[] = [];
    await world[Symbol.asyncDispose]();
    world = await startWorld({
      app: {
        hooks: {
          uninstalled: ({ installation, isReinstalled }) =>
            void told.push({ id: installation.id, isReinstalled }),
        },
      },
    });
    cookie = await signInAs('operator');
    const { installationId } = await world.install();
    const refused = await act(installationId, 'end');
    expect(refused).toMatchObject({ status: 409, body: { refusal: 'no_newer_address' } });
    const movedId = await moveTenant(installationId);

    expect(await act(movedId, 'end')).toMatchObject({ status: 409 });
    const ended = await act(installationId, 'end');

    expect(ended).toMatchObject({ status: 200, body: { effect: 'ended' } });
    expect((await world.store.installations.get(installationId))?.status).toBe('uninstalled');
    expect(await world.store.grants.load(installationId)).toBeUndefined();
    expect(await world.store.grants.load(movedId)).toBeDefined();
    await world.runHooks();
    expect(told).toEqual([{ id: installationId, isReinstalled: true }]);
    expect((await readAudit())[0]).toMatchObject({ action: 'end', reason, result: 'done' });
  });

  test('F21: is in the audit with who, from where, why and what became of it', async () => {
    const { installationId } = await world.install();

    const { status, body } = await act(installationId, 'refresh');

    expect(status).toBe(200);
    expect(body).toMatchObject({ outcome: 'done', effect: 'refreshed', tokenVersion: 2 });
    expect(await readAudit()).toMatchObject([
      {
        id: body.auditId,
        who: 'owner.desk',
        role: 'owner',
        way: 'page',
        action: 'refresh',
        installationId,
        reason,
        result: 'done',
        meaning: { kind: 'effect', effect: 'refreshed', tokenVersion: 2 },
      },
    ]);
    expect((await readAudit())[0]?.from).toMatch(/127\.0\.0\.1/);
  });

  test('F21: of a viewer is refused in words, and is in the audit', async () => {
    const { installationId } = await world.install();

    const { status, body } = await act(
      installationId,
      'pause',
      { reason },
      await signInAs('viewer'),
    );

    expect(status).toBe(403);
    expect(body).toMatchObject({
      code: 'ACTION_REFUSED',
      refusal: 'role_missing',
      what: 'The installation was not paused.',
    });
    expect(await readAudit('?who=viewer.desk')).toMatchObject([
      {
        result: 'refused',
        meaning: { kind: 'role_missing', needed: 'operator', own: 'viewer' },
      },
    ]);
    expect((await world.store.operators.find(installationId))?.pause).toBeNull();
  });

  test('F21: that fails is in the audit as failed, with the cause', async () => {
    const { installationId } = await world.install();
    isPlatformAway = true;

    const { status, body } = await act(installationId, 'test');

    expect(status).toBe(502);
    expect(body).toMatchObject({
      code: 'ACTION_FAILED',
      failure: 'unreachable',
      what: 'The connection was not tested.',
      why: 'The platform could not be reached.',
    });
    expect(await readAudit()).toMatchObject([{ id: body.auditId, result: 'failed' }]);
  });

  test('needs a session, a reason, and the header of our own pages', async () => {
    const { installationId } = await world.install();

    expect((await act(installationId, 'pause', { reason }, '')).status).toBe(401);
    expect((await act(installationId, 'pause', { reason: 'no' })).status).toBe(400);
    expect((await act(installationId, 'explode')).status).toBe(404);
    const forged = await world.post(
      `/admin/api/installations/${installationId}/actions/pause`,
      { reason },
      { cookie },
    );
    expect(forged.status).toBe(403);
    expect(await readAudit()).toEqual([]);
  });

  test('on an unknown installation is refused and recorded', async () => {
    const { status, body } = await act('nobody', 'refresh');

    expect(status).toBe(404);
    expect(body).toMatchObject({ refusal: 'unknown_installation' });
    expect(await readAudit('?installationId=nobody')).toMatchObject([{ result: 'refused' }]);
  });
});

describe('a pause', () => {
  test('F20: fails the calls of pages until it is resumed, and can be repeated', async () => {
    const { installationId, instanceId } = await world.install();
    const session = await world.openSession(instanceId);
    expect((await world.notify(session, 'before')).status).toBe(200);

    expect((await act(installationId, 'pause')).body).toMatchObject({ effect: 'paused' });
    expect((await act(installationId, 'pause')).body).toMatchObject({
      outcome: 'unchanged',
      effect: 'paused_before',
    });
    const refused = await world.notify(session, 'during');
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'INSTALLATION_PAUSED' });
    expect((await act(installationId, 'refresh')).body).toMatchObject({ refusal: 'paused' });
    await world.restart();
    expect((await world.notify(session, 'after the restart')).status).toBe(503);

    expect((await act(installationId, 'resume')).body).toMatchObject({ outcome: 'done' });
    expect((await world.notify(session, 'after')).status).toBe(200);
  });
});

describe('asking for an event', () => {
  test('brings new tokens, and is unchanged when it is repeated at once', async () => {
    const { installationId } = await world.install();

    expect((await act(installationId, 'ask')).body).toMatchObject({ outcome: 'done' });
    expect((await act(installationId, 'ask')).body).toMatchObject({
      outcome: 'unchanged',
      effect: 'asked_before',
      message: expect.stringMatching(/ Ask again in \d+ s\.$/),
    });

    await expect
      .poll(async () => (await world.store.grants.findVersion(installationId))?.tokenVersion)
      .toBe(2);
  });
});

describe('the test of a connection', () => {
  test('says what it called, and what came after which time', async () => {
    const { installationId } = await world.install();

    const { status, body } = await act(installationId, 'test');

    expect(status).toBe(200);
    const { call } = body as { call: { url: string; status: number; durationMs: number } };
    expect(body.message).toContain(`GET ${call.url} answered ${call.status} after`);
    const grant = await world.store.grants.load(installationId);
    expect(call.url.startsWith(grant?.baseUrl ?? '-')).toBe(true);
    for (const secret of await revealedSecrets(world.store, installationId)) {
      expect(JSON.stringify(body)).not.toContain(secret);
    }
  });
});

describe('the end of sessions', () => {
  test('ends those of the installation at once', async () => {
    const { installationId, instanceId } = await world.install();
    const session = await world.openSession(instanceId);

    expect((await act(installationId, 'end-sessions')).body).toMatchObject({ sessions: 1 });

    expect((await world.notify(session, 'late')).status).toBe(401);
    expect((await act(installationId, 'end-sessions')).body).toMatchObject({
      outcome: 'unchanged',
      effect: 'no_session',
    });
  });
});

describe('a purge', () => {
  test('F22: needs an owner, an uninstalled installation, its name, and two hours', async () => {
    const { installationId } = await world.install();
    const installation = await world.store.installations.get(installationId);
    if (!installation) throw new Error('There is no installation');
    const name = installation.issuer.replace('http://', '');
    const purge = (body: object, as = cookie) =>
      act(installationId, 'purge', { reason, name, ...body }, as);
    expect((await purge({})).body).toMatchObject({ refusal: 'still_installed' });
    const iat = Math.floor(Date.now() / 1000) + 1;
    await world.store.transaction(({ installations }) =>
      installations.uninstall(installation, iat),
    );

    expect((await purge({}, await signInAs('operator'))).body).toMatchObject({
      refusal: 'role_missing',
    });
    expect((await purge({ name: 'other' })).body).toMatchObject({ refusal: 'name_differs' });
    expect((await purge({})).body).toMatchObject({ refusal: 'ended_recently' });

    expect(await world.store.installations.get(installationId)).toBeDefined();
    expect(await readAudit('?action=purge')).toHaveLength(4);
  });

  test('a record is kept longer, for a year at most', async () => {
    const { installationId } = await world.install();
    const installation = await world.store.installations.get(installationId);
    if (!installation) throw new Error('There is no installation');
    const dayMs = 24 * 60 * 60 * 1000;
    const keep = (days: number) =>
      act(installationId, 'keep', { reason, until: Date.now() + days * dayMs });
    expect((await keep(10)).body).toMatchObject({ refusal: 'still_installed' });
    const iat = Math.floor(Date.now() / 1000) + 1;
    await world.store.transaction(({ installations }) =>
      installations.uninstall(installation, iat),
    );

    expect((await keep(366)).body).toMatchObject({ refusal: 'date_out_of_range' });
    expect((await keep(-1)).body).toMatchObject({ refusal: 'date_out_of_range' });
    const { body } = await keep(29);
    expect(body).toMatchObject({ refusal: 'date_out_of_range' });
    expect(body.message).toContain('kept until then anyway');
    expect((await keep(364)).body).toMatchObject({ outcome: 'done' });
    expect((await keep(300)).body).toMatchObject({ refusal: 'date_out_of_range' });
  });
});

test('a name and notes are stored, and the audit then names it so', async () => {
  const { installationId } = await world.install();

  await act(installationId, 'name', { reason, name: 'Acme', notes: 'calls at night' });
  await act(installationId, 'resume');

  expect(await world.store.operators.find(installationId)).toMatchObject({
    name: 'Acme',
    notes: 'calls at night',
  });
  const [newest] = await readAudit();
  expect(newest).toMatchObject({ action: 'resume', target: 'Acme', result: 'unchanged' });
});

test('a hook of another installation is not replayed, and none that is not parked', async () => {
  const { installationId } = await world.install();

  for (const action of ['replay-hook', 'drop-hook']) {
    const { body } = await act(installationId, action, { reason, hookId: `${randomUUID()}-1` });
    expect(body).toMatchObject({ refusal: 'hook_not_parked' });
  }
});
