/**
 * Commands that act beside a running back end use its settings, or refuse to act
 * (docs/decisions/0050-commands-beside.md).
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Installation } from '@dowel/installation-store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openActions } from './open-actions.ts';
import type { ServerOptions } from './server-options.ts';
import { installAt, type ServerWorld, startServerWorld } from './testing/server-world.ts';

const actor = { who: 'night.desk', role: 'owner', way: 'cli', from: null } as const;
const request = { reason: 'the tenant asked for it' };
const webhook = {
  url: 'https://hooks.example.com/services/canary',
  secret: `whsec_${Buffer.from('canary canary canary 1234').toString('base64')}`,
};

let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** Starts a back end with these options and one installation. */
async function startBackEnd(changes: Partial<ServerOptions> = {}) {
  const server = world.create(changes);
  const { url } = await server.start();
  await installAt(world, url);
  const { value } = await server.installations.list()[Symbol.asyncIterator]().next();
  return { server, installationId: (value as Installation).id };
}

/** The settings of the operator's shell. */
const shell = (settings: Record<string, string> = {}) => ({
  DOWEL_DATA_DIR: world.folder,
  ...settings,
});

async function act(
  action: 'refresh' | 'ask' | 'test' | 'pause',
  installationId: string,
  settings: Record<string, string> = {},
) {
  const actions = await openActions(shell(settings));
  return actions.perform(actor, { action, installationId, request }).finally(actions.close);
}

async function readAudit() {
  const actions = await openActions(shell());
  return actions.audit({ limit: 9 }).finally(actions.close);
}

function readRecord(): string {
  using database = new DatabaseSync(join(world.folder, 'dowel.sqlite'), { readOnly: true });
  return String(database.prepare('select facts from back_end').get()?.facts);
}

test('an action that calls the platform is done with the settings of the back end', async () => {
  const { installationId } = await startBackEnd();
  const trust = String(world.common.trust);

  for (const action of ['refresh', 'test', 'ask'] as const) {
    const outcome = await act(action, installationId, { DOWEL_TRUST: trust });
    expect(outcome).toMatchObject({ outcome: 'done' });
  }
});

test.each(['refresh', 'test', 'ask'] as const)(
  '%s refuses, before the audit, what the program gives in code and the shell does not have',
  async (action) => {
    const { installationId } = await startBackEnd({ internalHosts: ['crm.example.com:8443'] });
    const trust = String(world.common.trust);

    await expect(act(action, installationId)).rejects.toMatchObject({
      name: 'ConfigError',
      message: [
        `DOWEL_TRUST is not what the back end has: it has ${trust} in its code (option trust). Set the same here, or do this on its dashboard.`,
        'DOWEL_INTERNAL_HOSTS is not what the back end has: it has crm.example.com:8443 in its code (option internalHosts). Set the same here, or do this on its dashboard.',
        'Nothing was sent.',
      ].join('\n'),
    });

    expect((await readAudit()).entries).toEqual([]);
    await expect(act('pause', installationId)).resolves.toMatchObject({ outcome: 'done' });
  },
);

test.each<[string, Partial<ServerOptions>, Record<string, string>, RegExp]>([
  ['a profile', { profile: { refreshPlacement: 'body' } }, {}, /^DOWEL_REFRESH_PLACEMENT .* body /],
  [
    'more hosts in the shell',
    {},
    { DOWEL_INTERNAL_HOSTS: 'crm.example.com' },
    /^DOWEL_INTERNAL_HOSTS .* it has none by default/,
  ],
  ['a fetch', { fetch: (...request) => fetch(...request) }, {}, /^The back end .*option fetch/],
])('%s that differs is refused', async (_, changes, settings, message) => {
  const { installationId } = await startBackEnd(changes);
  const all = { DOWEL_TRUST: String(world.common.trust), ...settings };

  await expect(act('refresh', installationId, all)).rejects.toThrow(message);
});

test('the back end that opened last counts', async () => {
  const { installationId } = await startBackEnd();
  const settings = { DOWEL_TRUST: String(world.common.trust) };

  await world.create({ profile: { basicEncoding: 'form' } }).open();
  await expect(act('test', installationId, settings)).rejects.toThrow(/^DOWEL_BASIC_ENCODING /);

  await world.create().open();
  expect(await act('test', installationId, settings)).toMatchObject({ outcome: 'done' });
});

test('without a record of a back end nothing is sent', async () => {
  const { installationId } = await startBackEnd();
  using database = new DatabaseSync(join(world.folder, 'dowel.sqlite'), { timeout: 60_000 });
  database.exec('delete from back_end');

  await expect(act('refresh', installationId)).rejects.toThrow(/^No back end of this version/);
});

test('a recovery caused by a command calls the hook of the back end', async () => {
  const told: string[] = [];
  const { server, installationId } = await startBackEnd({
    hooks: { recovered: ({ event }) => void told.push(event) },
  });
  using database = new DatabaseSync(join(world.folder, 'dowel.sqlite'), { timeout: 60_000 });
  database.prepare('update installations set broken_since = ?').run(Date.now() - 60_000);

  await act('refresh', installationId, { DOWEL_TRUST: String(world.common.trust) });
  // The back end's own turn may have taken the delivery already.
  await server.hooks.runDue();
  await expect.poll(() => told, { timeout: 120_000 }).toEqual(['recovered']);
});

test('a test message is refused when the back end sends its messages elsewhere', async () => {
  await startBackEnd({ alerts: { webhook } });
  const settings = shell({
    DOWEL_TRUST: String(world.common.trust),
    DOWEL_ALERT_WEBHOOK_URL: 'https://hooks.example.com/services/other',
    DOWEL_ALERT_WEBHOOK_SECRET: webhook.secret,
  });
  const actions = await openActions(settings);

  const sent = actions.alerts
    .test(actor, { channel: 'webhook', reason: 'A new receiver' })
    .finally(actions.close);

  await expect(sent).rejects.toThrow(
    /DOWEL_ALERT_WEBHOOK_URL is not what the back end has: it has another one in its code/,
  );
});

test('the record holds no secret, and no path of a webhook', async () => {
  const mail = {
    smtpUrl: 'smtps://desk:canary@mail.example.com',
    from: 'dowel@example.com',
    to: ['desk@example.com'],
  };
  await world.create({ alerts: { webhook, mail } }).open();

  const record = readRecord();

  expect(record).toContain('smtps://desk@mail.example.com:465');
  expect(record).not.toContain('canary');
  expect(record).not.toContain(webhook.secret);
});
