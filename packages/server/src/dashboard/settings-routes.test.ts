/** Operators see the settings in effect, from options and from environment variables. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Setting, settingsSchema } from '@dowel/admin-api';
import { Secret } from '@dowel/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CommonOptions } from '../server-options.ts';
import { describeSettings, fingerprintOf } from '../settings/describe-settings.ts';
import { readConfiguration } from '../settings/read-configuration.ts';
import { settingNames } from '../settings/settings.ts';
import { readSampleManifest, type ServerWorld, startServerWorld } from '../testing/server-world.ts';
import { signInAs } from '../testing/sign-in-as.ts';
import { cookieOf, startWorld } from '../testing/start-world.ts';

const randomSecret = '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6aPu';
const randomKey = Buffer.from(randomSecret).toString('base64');
const oidc = {
  issuer: 'https://login.example.com/realms/staff',
  clientId: 'dowel',
  clientSecret: randomSecret,
  roles: { owner: ['dowel-owners'] },
};
let world: ServerWorld;

beforeEach(async () => {
  world = await startServerWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** Starts a server with these options, and signs in by its link. */
async function open(options: Partial<CommonOptions> = {}) {
  const link = Promise.withResolvers<string>();
  const dashboard = {
    directory: world.folder,
    onSignInLink: ({ url }: { url: string }) => link.resolve(url),
    ...options.dashboard,
  };
  const server = world.create({ ...options, dashboard });
  const { url } = await server.start();
  const code = new URLSearchParams(new URL(await link.promise).hash.slice(1)).get('code');
  const response = await fetch(`${url}/admin/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-dowel-csrf': '1' },
    body: JSON.stringify({ code }),
  });
  const text = await (await readFrom(url, cookieOf(response))).text();
  const { settings, ...answer } = settingsSchema.parse(JSON.parse(text));
  return { url, text, answer, find: (name: string) => findIn(settings, name) };
}

const readFrom = (url: string, cookie: string) =>
  fetch(`${url}/admin/api/settings`, { headers: { cookie } });

function findIn(settings: readonly Setting[], name: string): Setting | undefined {
  return settings.find((each) => each.name === name);
}

/** Describes the settings without a server, for databases that do not exist. */
async function describe(options: Partial<CommonOptions>) {
  const all = { manifest: await readSampleManifest(), environment: {}, ...options };
  const facts = {
    configuration: readConfiguration(all),
    options: all,
    plugins: [],
    port: undefined,
  };
  return (name: string) => findIn(describeSettings(facts), name);
}

test('every setting is shown, with its default, for a program without variables', async () => {
  const { url, find, answer } = await open();

  for (const name of settingNames) expect(find(name)).toBeDefined();
  expect(find('DOWEL_HISTORY_DAYS')).toMatchObject({
    values: ['30'],
    unit: 'days',
    source: 'default',
    option: 'limits.historyDays',
  });
  expect(find('DOWEL_NOTIFICATIONS_PER_SESSION')).toMatchObject({ values: ['60'] });
  expect(find('DOWEL_PLUGIN_IDS')).toMatchObject({ values: [], note: 'any' });
  expect(find('DOWEL_ESSENTIAL_SCOPES')).toMatchObject({
    values: ['plugin:notify'],
    note: 'fromManifest',
  });
  expect(answer).toMatchObject({
    isProduction: false,
    versions: {
      dowel: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.version,
      database: { engine: 'SQLite', migration: expect.stringMatching(/^\d{4}/) },
      plugins: [{ name: 'Nudge', reference: `${url}/openapi.html` }],
    },
  });
});

test('F25: where alerts go is shown without path, password and secret', async () => {
  const { find, text } = await open({
    alerts: {
      brokenForMs: 1_800_000,
      webhook: { url: 'https://hooks.example.com/T0/B0/path', secret: `whsec_${randomKey}` },
      mail: {
        smtpUrl: 'smtps://ops:hunter2hunter2@mail.example.com',
        from: 'dowel@example.com',
        to: ['desk@example.com'],
      },
    },
  });

  expect(find('DOWEL_ALERT_BROKEN_MINUTES')).toMatchObject({
    values: ['30'],
    unit: 'minutes',
    option: 'alerts.brokenForMs',
  });
  expect(find('DOWEL_ALERT_WEBHOOK_URL')).toMatchObject({
    values: ['https://hooks.example.com'],
    note: 'withoutPath',
  });
  expect(find('DOWEL_ALERT_WEBHOOK_SECRET')?.secret?.fingerprint).toMatch(/^[\da-f]{8}$/);
  expect(find('DOWEL_ALERT_SMTP_URL')).toMatchObject({
    values: ['smtps://ops@mail.example.com:465'],
    note: 'withPassword',
  });
  expect(text).not.toMatch(/T0\/B0|hunter2/);
  expect(text).not.toContain(randomKey);
});

test('options win over the environment, and both are named', async () => {
  const { find, url } = await open({
    environment: { DOWEL_HISTORY_DAYS: '7', DOWEL_STOP_GRACE_MS: '2000' },
    limits: { historyDays: 90 },
    hookPolicy: { concurrency: 3 },
  });

  expect(find('DOWEL_HISTORY_DAYS')).toMatchObject({ values: ['90'], source: 'option' });
  expect(find('DOWEL_STOP_GRACE_MS')).toMatchObject({ values: ['2000'], source: 'environment' });
  expect(find('DOWEL_TRUST')).toMatchObject({ source: 'option', option: 'trust' });
  expect(find('DOWEL_DATA_DIR')).toMatchObject({ values: [world.folder], source: 'option' });
  expect(find('DOWEL_LOG_LEVEL')).toMatchObject({ values: [], note: 'ownLog', source: 'option' });
  expect(find('DOWEL_PORT')).toMatchObject({ values: [new URL(url).port], unit: null });
  expect(find('hookPolicy.concurrency')).toMatchObject({ values: ['3'], unit: 'count' });
});

test('what only the own listener uses has no effect in a host framework', async () => {
  const find = await describe({});

  expect(find('DOWEL_PORT')).toMatchObject({ values: [], note: 'hostListens' });
  expect(find('DOWEL_STOP_GRACE_MS')).toMatchObject({ values: ['12000'], note: null });
});

test('F25: no secret of the configuration is in the answer', async () => {
  const keyPath = join(world.folder, 'canary.key');
  const key = 'Z9-canaryKeyOfThirtyTwoBytes_0123456789abcde'.slice(0, 43);
  writeFileSync(keyPath, `${key}\n`);
  chmodSync(keyPath, 0o600);

  const { text, find } = await open({
    keyFile: { path: keyPath },
    dashboard: { directory: world.folder, oidc },
  });

  expect(find('DOWEL_OIDC_CLIENT_SECRET')).toMatchObject({
    values: [],
    secret: { fingerprint: expect.stringMatching(/^[\da-f]{8}$/) },
  });
  expect(text).toContain('login.example.com');
  for (const secret of [randomSecret, key, readFileSync(keyPath, 'utf8').trim()]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(encodeURIComponent(secret).slice(4, 20));
  }
});

test('F25: the password of the database is left out, wherever the URL has it', async () => {
  const password = 'hunter2-canary';
  for (const url of [
    `postgresql://dowel:${password}@db.example.com:5432/dowel?sslmode=verify-full`,
    `postgresql://dowel@db.example.com:5432/dowel?sslmode=verify-full&password=${password}&sslkey=${password}`,
  ]) {
    const find = await describe({ database: { url } });

    expect(find('DOWEL_DATABASE_URL')).toMatchObject({
      values: ['postgresql://dowel@db.example.com:5432/dowel?sslmode=verify-full'],
      note: 'withPassword',
      source: 'option',
    });
    expect(find('DOWEL_POSTGRES_CONNECTIONS')?.values).toEqual(['10']);
  }
});

test('of several servers all are shown, also beside a user with the name of one', async () => {
  const find = await describe({ database: { url: 'postgresql://dowel:x@dowel,db-2:5433/dowel' } });

  const values = ['postgresql://dowel@dowel,db-2:5433/dowel'];
  expect(find('DOWEL_DATABASE_URL')).toMatchObject({ values });
});

test('F25: a secret that somebody may have chosen has no fingerprint', () => {
  const fingerprint = (text: string) => fingerprintOf('DOWEL_OIDC_CLIENT_SECRET', new Secret(text));

  expect(fingerprint(randomSecret)).toMatch(/^[\da-f]{8}$/);
  expect(fingerprintOf('DOWEL_OTHER', new Secret(randomSecret))).not.toBe(
    fingerprint(randomSecret),
  );
  expect(fingerprint('The quick brown fox jumps!')).toBeNull();
  expect(fingerprint('summer2026'.repeat(5))).toBeNull();
});

test('F12: a viewer does not see the settings; an operator does', async () => {
  await using app = await startWorld();
  const viewer = await signInAs(app, 'vic', 'viewer');
  const operator = await signInAs(app, 'grace', 'operator');

  expect((await readFrom(app.url, '')).status).toBe(401);
  expect((await readFrom(app.url, viewer)).status).toBe(403);
  expect((await readFrom(app.url, operator)).status).toBe(200);
});
