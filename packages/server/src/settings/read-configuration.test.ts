/** Options that are left out, and options that say what the variables say in other words. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseTrustRules } from '@dowel/platform-jwt';
import { expect, test } from 'vitest';
import type { CommonOptions } from '../server-options.ts';
import { describeSources, readConfiguration } from './read-configuration.ts';

/** Without types, like a program in JavaScript. */
const read = (options: object) =>
  readConfiguration({ environment: {}, ...options } as CommonOptions);

test('a nested option that is undefined leaves the environment as it is', () => {
  const environment = {
    NODE_ENV: 'production',
    DOWEL_BASIC_ENCODING: 'form',
    DOWEL_HISTORY_DAYS: '7',
    DOWEL_ALERT_BROKEN_PERCENT: '9',
  };

  const { keyFile, profile, limits, alerts } = read({
    environment,
    keyFile: { path: 'x.key', production: undefined },
    profile: { basicEncoding: undefined },
    limits: { historyDays: undefined },
    alerts: { brokenPercent: undefined },
  });

  expect(keyFile).toEqual({ path: resolve('x.key'), production: true });
  expect(profile.basicEncoding).toBe('form');
  expect([limits.historyDays, alerts.brokenPercent]).toEqual([7, 9]);
});

test('a database whose other location is undefined is the one that is given', () => {
  const url = 'postgres://localhost/dowel';

  expect(read({ database: { url, path: undefined } }).database).toMatchObject({ url });
  const { database, keyFile } = read({ database: { path: 'a/x.sqlite', url: undefined } });
  expect(database).toEqual({ path: resolve('a/x.sqlite') });
  expect(keyFile.path).toBe(resolve(join('a', 'encryption.key')));
});

test('E11: secrets may be in files, which options replace', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowel-options-'));
  const url = 'postgres://dowel:s3cret@localhost/dowel';
  await writeFile(join(folder, 'url'), `${url}\n`);
  const environment = { DOWEL_DATABASE_URL_FILE: join(folder, 'url') };
  const ofMail = { ...environment, DOWEL_ALERT_SMTP_URL_FILE: join(folder, 'none') };

  expect(read({ environment }).database).toEqual({ url });
  expect(describeSources({ environment })).toMatchObject({ 'database.url': 'environment' });
  expect(() => read({ environment: ofMail })).toThrow(
    /^DOWEL_ALERT_SMTP_URL_FILE names a file that cannot be read: it does not exist \(ENOENT\)$/,
  );
  const smtpUrl = 'smtps://mail.example.com';
  const mail = { smtpUrl, from: 'dowel@example.com', to: ['desk@example.com'] };
  expect(read({ environment: ofMail, alerts: { mail } }).alerts.mail).toBeDefined();
  await rm(folder, { recursive: true });
});

test('a variable that an option replaces may be wrong', () => {
  const environment = {
    DOWEL_TRUST: 'nobody',
    DOWEL_DATABASE_URL: 'mysql://localhost/dowel',
    DOWEL_REFRESH_PLACEMENT: 'nowhere',
  };
  const trust = parseTrustRules('https://acme.example=https://keys.example/');

  const {
    trust: rules,
    database,
    profile,
  } = read({
    environment,
    trust,
    database: { path: 'x.sqlite' },
    profile: { refreshPlacement: 'body' },
  });

  expect(rules).toEqual(trust);
  expect(database).toEqual({ path: resolve('x.sqlite') });
  expect(profile.refreshPlacement).toBe('body');
});

test('the value of a role is taken as it is, and wins over the variable', () => {
  const roles = { viewer: ['staff,owner=contractors', 'cn=desk, ou=it'], owner: ['owners'] };
  const oidc = { issuer: 'https://login.example.com', clientId: 'dowel', roles };
  const environment = { DOWEL_OIDC_ROLES: 'no rule' };

  expect(read({ environment, dashboard: { directory: 'x', oidc } }).dashboard.oidc?.roles).toEqual([
    { role: 'viewer', value: 'staff,owner=contractors' },
    { role: 'viewer', value: 'cn=desk, ou=it' },
    { role: 'owner', value: 'owners' },
  ]);
});

test.each<[string, object, string]>([
  [
    'of a webhook',
    { alerts: { webhook: { url: 'https://hooks.example.com' } } },
    'DOWEL_ALERT_WEBHOOK_SECRET, or the option alerts.webhook.secret, must be set too',
  ],
  [
    'of mail',
    { alerts: { mail: { smtpUrl: 'smtp://mail.example.com', to: ['desk@example.com'] } } },
    'DOWEL_ALERT_MAIL_FROM, or the option alerts.mail.from, must be set too',
  ],
  [
    'of a sign-in',
    { dashboard: { oidc: { issuer: 'https://login.example.com', clientId: 'dowel' } } },
    'DOWEL_OIDC_ROLES, or the option dashboard.oidc.roles, must be set too',
  ],
  [
    'although its variable is there, but empty,',
    {
      environment: { DOWEL_ALERT_WEBHOOK_SECRET: '' },
      alerts: { webhook: { url: 'https://hooks.example.com' } },
    },
    'DOWEL_ALERT_WEBHOOK_SECRET, or the option alerts.webhook.secret, must be set too',
  ],
])('what is missing %s is named as a variable and as an option', (_what, options, message) => {
  expect(() => read(options)).toThrow(message);
});

test('a wrong option is named as an option, and a wrong variable as a variable', () => {
  expect(() => read({ alerts: { brokenPercent: 100 } })).toThrow(/^alerts\.brokenPercent must be/);
  const environment = { DOWEL_ALERT_BROKEN_PERCENT: '100' };
  expect(() => read({ environment })).toThrow(/^DOWEL_ALERT_BROKEN_PERCENT must be/);
});
