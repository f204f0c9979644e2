/** A back end of Dowel survives the platform's faults: each call arrives, and nobody helps. */
import { createClient } from '@dowel/adapter/client';
import type { FaultName, FaultOptions } from '@dowel/emulator';
import { startTestServer } from '@dowel/emulator/test-server';
import { createServer } from '@dowel/server';
import { expect, test } from 'vitest';
import { operations } from '../../packages/create-dowel/template-react/server/operations.ts';

const manifest = new URL(
  '../../packages/create-dowel/template-react/manifest.json',
  import.meta.url,
);

const startWorld = () =>
  startTestServer((options) => createServer({ ...options, manifest, operations }));

type Row = [FaultName, FaultOptions<FaultName>];

const ofRefreshes: Row[] = [
  ['token.lostAnswer', { on: 'refresh' }],
  ['token.slow', { on: 'refresh', ms: 50 }],
  ['token.unavailable', { on: 'refresh' }],
  ['token.limited', { on: 'refresh' }],
  ['token.refused', { on: 'refresh' }],
  ['token.notJson', { on: 'refresh' }],
  ['token.cutOff', { on: 'refresh' }],
  ['token.answer', { on: 'refresh', unset: ['refresh_token', 'expires_in'] }],
  ['api.unauthorized', { hold: 5 }],
];

test.each(ofRefreshes)(
  'five calls survive %s %j, with one trigger at most',
  async (name, options) => {
    await using world = await startWorld();
    const { platform } = world;
    const page = await world.openPage();
    const client = createClient<typeof operations>(page);
    const [, colleague = { email: '', userId: '' }] = platform.tenants[0]?.users ?? [];
    await client.invite({ email: colleague.email });
    platform.changeLab(page.tenantId, { advanceSeconds: 3_600 });
    const fault = platform.fault(name, options);

    const calls = Array.from({ length: 5 }, () => client.invite({ email: colleague.email }));

    expect(await Promise.all(calls)).toEqual(Array(5).fill({}));
    expect(fault.hits).toBeGreaterThan(0);
    expect(platform.notifications(colleague.userId)).toHaveLength(6);
    expect(platform.exchanges({ kind: 'trigger' }).length).toBeLessThanOrEqual(1);
  },
);

const ofInstallations: Row[] = [
  ['event.repeated', { on: 'access_token', copies: 3, atOnce: true }],
  ['event.repeated', { on: 'access_token', signedAgain: true }],
  ['event.claims', { set: { edition: 2, client: { region: 'eu' } }, unset: ['jti'] }],
  ['event.clock', { seconds: 30, times: 'always' }],
  ['event.keyRotated', {}],
  ['event.reordered', {}],
  ['key.slow', { ms: 50 }],
  ['token.answer', { on: 'code', unset: ['refresh_token'] }],
];

test.each(ofInstallations)('an installation survives %s %j', async (name, options) => {
  await using world = await startWorld();
  const fault = world.platform.fault(name, options);

  const { email } = (await world.openPage()).user;

  expect(fault.hits).toBeGreaterThan(0);
  const client = createClient<typeof operations>(await world.openPage());
  expect(await client.invite({ email })).toEqual({});
  const events = world.platform.exchanges({ kind: 'event' });
  expect(new Set(events.map(({ status }) => status))).toEqual(new Set([201]));
  expect(world.platform.exchanges({ kind: 'code' })).toHaveLength(1);
});

const ofRefusals: Row[] = [
  ['token.lostAnswer', { on: 'code' }],
  ['token.notJson', { on: 'code' }],
  ['token.answer', { on: 'code', unset: ['access_token'] }],
];

test.each(ofRefusals)(
  'an installation is refused with %s %j, and the next one works',
  async (name, options) => {
    await using world = await startWorld();
    world.platform.fault(name, options);

    await expect(world.openPage()).rejects.toMatchObject({ code: 'REFUSED' });

    const { email } = (await world.openPage()).user;
    expect(email).toBe(world.platform.tenants[0]?.users[0]?.email);
  },
);
