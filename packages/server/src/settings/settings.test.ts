import { defaultPlatformProfile } from '@dowel/schema';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { readConfiguration } from './read-configuration.ts';
import { settingNames } from './settings.ts';

/** Matches every sentence that zod writes by itself. */
const readConfig = (environment: Record<string, string>) => readConfiguration({ environment });

z.config({ localeError: () => 'WORDS OF ZOD' });

describe('the settings', () => {
  test('has a default for every setting, and trusts no issuer by default', () => {
    expect(readConfig({})).toMatchObject({
      port: 4310,
      host: '127.0.0.1',
      publicUrl: 'http://localhost:4310',
      trust: [],
    });
  });

  test('at port 80 the public URL has no port, as in browsers', () => {
    expect(readConfig({ DOWEL_PORT: '80' }).publicUrl).toBe('http://localhost');
  });

  test('reads where alerts go', () => {
    const { alerts } = readConfig({
      DOWEL_ALERTS: 'none',
      DOWEL_ALERT_WEBHOOK_URL: 'https://hooks.example.com/x?y=1',
      DOWEL_ALERT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      DOWEL_ALERT_SMTP_URL: 'smtp://ops:p%40ss@mail.example.com',
      DOWEL_ALERT_MAIL_FROM: 'dowel@example.com',
      DOWEL_ALERT_MAIL_TO: 'desk@example.com, night@example.com',
    });

    expect(alerts.rules).toEqual([]);
    expect(alerts.webhook?.url.reveal()).toBe('https://hooks.example.com/x?y=1');
    expect(alerts.mail).toMatchObject({
      server: { host: 'mail.example.com', port: 587, isTls: false, user: 'ops' },
      to: ['desk@example.com', 'night@example.com'],
    });
    expect(alerts.mail?.server.password?.reveal()).toBe('p@ss');
    expect(JSON.stringify(alerts)).not.toMatch(/p@ss|hooks\.example/);
  });

  test('treats an empty variable as not set', () => {
    expect(readConfig({ DOWEL_PORT: '', DOWEL_TRUST: '' })).toEqual(readConfig({}));
  });

  test.each([
    [{ DOWEL_PORT: 'abc' }, /^DOWEL_PORT must be a port number from 0 to 65535$/],
    [{ DOWEL_PORT: '70000' }, /^DOWEL_PORT must be a port number/],
    [{ DOWEL_PUBLIC_URL: 'localhost' }, /^DOWEL_PUBLIC_URL must be an http\(s\) URL[^\n]*$/],
    [{ DOWEL_TRUST: 'acme' }, /^DOWEL_TRUST: "acme" is not of the form/],
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /^NODE_TLS_REJECT_UNAUTHORIZED must not be 0/],
    [{ DOWEL_ALERTS: 'broken_for,other' }, /^DOWEL_ALERTS must be none, or rules/],
    [{ DOWEL_ALERT_LANGUAGE: 'fr' }, /^DOWEL_ALERT_LANGUAGE must be en or de/],
    [{ DOWEL_ALERT_TIME_ZONE: 'Berlin' }, /^DOWEL_ALERT_TIME_ZONE must be a time zone, such as/],
    [{ DOWEL_ALERT_BROKEN_PERCENT: '100' }, /^DOWEL_ALERT_BROKEN_PERCENT must be a number/],
    [{ DOWEL_ALERT_WEBHOOK_URL: 'http://hooks.example.com/x' }, /^DOWEL_ALERT_WEBHOOK_URL must be/],
    [
      { DOWEL_ALERT_WEBHOOK_URL: 'https://hooks.example.com/x' },
      /^DOWEL_ALERT_WEBHOOK_SECRET, or the option \S+, must be set too/,
    ],
    [
      { DOWEL_ALERT_WEBHOOK_SECRET: 'whsec_c2hvcnQ=' },
      /^DOWEL_ALERT_WEBHOOK_SECRET must be whsec_/,
    ],
    [{ DOWEL_ALERT_SMTP_URL: 'smtp://a:b@mail/x?tls=no' }, /^DOWEL_ALERT_SMTP_URL must be the URL/],
    [
      { DOWEL_ALERT_SMTP_URL: 'smtp://ops@mail.example.com' },
      /^DOWEL_ALERT_SMTP_URL must have both/,
    ],
    [
      { DOWEL_ALERT_SMTP_URL: 'smtp://:p@mail.example.com' },
      /^DOWEL_ALERT_SMTP_URL must have both/,
    ],
    [{ DOWEL_ALERT_MAIL_FROM: 'a@b.c\nBcc: d@e.f' }, /^DOWEL_ALERT_MAIL_FROM must be one mail/],
    [{ DOWEL_ALERT_MAIL_TO: 'Desk <desk@example.com>' }, /^DOWEL_ALERT_MAIL_TO must be mail/],
    [
      { DOWEL_ALERT_SMTP_URL: 'smtps://mail.example.com', DOWEL_ALERT_MAIL_TO: 'a@b.c' },
      /^DOWEL_ALERT_MAIL_FROM, or the option \S+, must be set too/,
    ],
    [{ DOWEL_PROXY_HOPS: '-1' }, /^DOWEL_PROXY_HOPS /],
    [{ DOWEL_INTERNAL_HOSTS: 'https://x' }, /^DOWEL_INTERNAL_HOSTS must be hosts/],
    [{ DOWEL_INTERNAL_HOSTS: 'a.local:99999' }, /^DOWEL_INTERNAL_HOSTS must be hosts/],
    [{ DOWEL_INTERNAL_HOSTS: 'a.local,10.0.0.1.300' }, /^DOWEL_INTERNAL_HOSTS must be hosts/],
    [{ DOWEL_INTERNAL_HOSTS: 'a.local/keys' }, /^DOWEL_INTERNAL_HOSTS must be hosts/],
    [{ DOWEL_INTERNAL_HOSTS: '*.local' }, /^DOWEL_INTERNAL_HOSTS must be hosts/],
    [{ DOWEL_INTERNAL_HOSTS: 'fd00::1' }, /^DOWEL_INTERNAL_HOSTS must be hosts/],
    [{ DOWEL_INTERNAL_HOSTS: 'user@a.local' }, /^DOWEL_INTERNAL_HOSTS must be hosts/],
    [{ DOWEL_CONNECTIONS_PER_ADDRESS: '15' }, /must be a number of connections from 16 to 10000$/],
    [{ DOWEL_SESSION_NONCE: 'always' }, /^DOWEL_SESSION_NONCE must be optional or required$/],
    [
      { DOWEL_REFUSALS_PER_ADDRESS: '0' },
      /must be a number of refusals a minute from 1 to 1000000$/,
    ],
    [
      { DOWEL_EXCHANGES_PER_INSTALLATION: '0' },
      /must be a number of exchanges a minute from 1 to 10000$/,
    ],
    [
      { DOWEL_OIDC_ISSUER: 'http://login.example.com' },
      /^DOWEL_OIDC_ISSUER must be the https URL that the provider names as its issuer/,
    ],
    [
      { DOWEL_OIDC_ISSUER: 'https://login.example.com', DOWEL_OIDC_CLIENT_ID: 'dowel' },
      /^DOWEL_OIDC_ROLES, or the option \S+, must be set too: sign-in by OpenID Connect needs it$/,
    ],
    [{ DOWEL_OIDC_ROLES: 'king=boss' }, /^DOWEL_OIDC_ROLES must be role=value separated by commas/],
    [{ DOWEL_OIDC_ROLES: 'owner=' }, /^DOWEL_OIDC_ROLES must be role=value separated by commas/],
    [
      { DOWEL_OIDC_SCOPE: 'profile' },
      /^DOWEL_OIDC_SCOPE must be scopes separated by blanks, openid/,
    ],
    [{ DOWEL_HISTORY_DAYS: '0' }, /^DOWEL_HISTORY_DAYS must be a number of days from 1 to 3650$/],
    [{ DOWEL_DATABASE_URL: 'mysql://db/dowel' }, /^DOWEL_DATABASE_URL must be a PostgreSQL URL/],
    [
      { DOWEL_DATABASE_URL: 'postgres://[db/dowel' },
      /^DOWEL_DATABASE_URL must be a PostgreSQL URL/,
    ],
    [
      { DOWEL_DATABASE_URL: 'postgres://db/dowel', DOWEL_POSTGRES_CONNECTIONS: '1' },
      /^DOWEL_POSTGRES_CONNECTIONS must be a number from 2 to 500$/,
    ],
    [{ DOWEL_PLUGIN_IDS: 'nudge' }, /^DOWEL_PLUGIN_IDS must be plug-in ids \(UUIDs\)/],
    [
      { DOWEL_PLUGIN_IDS: 'd290f1ee-6c54-4b01-90e6-d701748f0851,x' },
      /^DOWEL_PLUGIN_IDS must be plug-in ids/,
    ],
    [{ DOWEL_AUDIENCE: 'größe' }, /^DOWEL_AUDIENCE must be names without blanks/],
    [{ DOWEL_LOG_LEVEL: 'loud' }, /^DOWEL_LOG_LEVEL must be trace, debug/],
    [{ DOWEL_PUBLIC_URL: 'https://a.example/x?y' }, /^DOWEL_PUBLIC_URL must be an origin with or/],
    [{ DOWEL_PUBLIC_URL: 'https://u:p@a.example' }, /^DOWEL_PUBLIC_URL must be an origin with or/],
    [{ DOWEL_HOST: 'http://localhost' }, /^DOWEL_HOST must be an address or a name/],
    [{ DOWEL_EVENT_PATH: 'events' }, /^DOWEL_EVENT_PATH must be a path of this server/],
    [{ DOWEL_EVENT_PATH: 'https://a.example/' }, /^DOWEL_EVENT_PATH must be a path/],
    [{ DOWEL_ESSENTIAL_SCOPES: ',' }, /^DOWEL_ESSENTIAL_SCOPES must be scopes separated by commas/],
    [{ DOWEL_REFRESH_PLACEMENT: 'header' }, /^DOWEL_REFRESH_PLACEMENT must be query or body$/],
    [{ DOWEL_BASIC_ENCODING: 'utf8' }, /^DOWEL_BASIC_ENCODING must be plain or form$/],
    [{ DOWEL_NOTIFICATION_PATH: '/api/notify' }, /^DOWEL_NOTIFICATION_PATH must be a plain path/],
    [
      { DOWEL_NOTIFICATION_PATH: 'https://x.example/{pluginId}/{instanceId}' },
      /^DOWEL_NOTIFICATION_PATH must be a plain path/,
    ],
    [{ DOWEL_NOTIFICATION_PATH: '/{pluginId}/../{instanceId}' }, /^DOWEL_NOTIFICATION_PATH must/],
    [{ DOWEL_TRSUT: 'x' }, /^DOWEL_TRSUT is not a setting: did you mean DOWEL_TRUST\?$/],
    [{ dowel_trust: 'x' }, /^dowel_trust is not a setting: did you mean DOWEL_TRUST\?$/],
    [{ DOWEL_PORT: '0x10' }, /^DOWEL_PORT must be a port number from 0 to 65535$/],
    [{ DOWEL_HISTORY_DAYS: '1.5' }, /^DOWEL_HISTORY_DAYS must be a number of days from 1 to/],
    [{ DOWEL_PROXY_HOPS: '11' }, /^DOWEL_PROXY_HOPS must be the number of .*, from 0 to 10$/],
  ])('%j is one line that says how to fix it', (environment, line) => {
    expect(() => readConfig(environment)).toThrow(ConfigError);
    expect(() => readConfig(environment)).toThrow(line);
  });

  test('keeps database and key in DOWEL_DATA_DIR, unless they have settings of their own', () => {
    expect(readConfig({ DOWEL_DATA_DIR: '/data' })).toMatchObject({
      database: { path: '/data/dowel.sqlite' },
      keyFile: { path: '/data/encryption.key', production: false },
    });
    expect(
      readConfig({
        DOWEL_DATA_DIR: '/data',
        DOWEL_KEY_FILE: '/keys/dowel.key',
        DOWEL_DATABASE_URL: 'postgresql://dowel:word@db/dowel',
        DOWEL_POSTGRES_CONNECTIONS: '20',
        NODE_ENV: 'production',
      }),
    ).toMatchObject({
      database: { url: 'postgresql://dowel:word@db/dowel', connections: 20 },
      keyFile: { path: '/keys/dowel.key', production: true },
    });
  });

  test('reads lists of plug-in ids and of our names', () => {
    expect(readConfig({})).toMatchObject({ pluginIds: [], audience: [] });
    expect(
      readConfig({
        DOWEL_PLUGIN_IDS:
          'D290F1EE-6C54-4B01-90E6-D701748F0851, 0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de,',
        DOWEL_AUDIENCE: 'nudge,https://plugin.example.com',
      }),
    ).toMatchObject({
      pluginIds: ['d290f1ee-6c54-4b01-90e6-d701748f0851', '0b5a2a2e-6c1f-4c39-9a3e-2f3a4ad0c0de'],
      audience: ['nudge', 'https://plugin.example.com'],
    });
  });

  test('spells internal hosts as the addresses that they are compared with', () => {
    const text = 'Intranet.LOCAL, keys.local:443 keys.local:8443,[FD00:0::1],Größe.local,10.1';

    expect(readConfig({ DOWEL_INTERNAL_HOSTS: text }).internalHosts).toEqual([
      'intranet.local',
      'keys.local',
      'keys.local:8443',
      '[fd00::1]',
      'xn--gre-6ka8i.local',
      '10.0.0.1',
    ]);
  });

  test('takes the platform’s profile and the essential scopes from settings', () => {
    const { profile, essentialScopes, eventPath } = readConfig({
      DOWEL_REFRESH_PLACEMENT: 'body',
      DOWEL_BASIC_ENCODING: 'form',
      DOWEL_NOTIFICATION_PATH: '/v2/{instanceId}/of/{pluginId}',
      DOWEL_ESSENTIAL_SCOPES: 'plugin:notify, plugin:read',
      DOWEL_EVENT_PATH: '/in/',
    });

    expect(profile).toMatchObject({ refreshPlacement: 'body', basicEncoding: 'form' });
    expect(profile.notificationPath('p', 'i')).toBe('/v2/i/of/p');
    expect({ essentialScopes, eventPath }).toEqual({
      essentialScopes: ['plugin:notify', 'plugin:read'],
      eventPath: '/in/',
    });
    expect(readConfig({ DOWEL_ESSENTIAL_SCOPES: 'none' }).essentialScopes).toEqual([]);
    expect(readConfig({}).essentialScopes).toBeUndefined();
    expect(readConfig({}).profile.notificationPath('p', 'i')).toBe(
      defaultPlatformProfile.notificationPath('p', 'i'),
    );
  });

  test('never shows a library’s message, for any value', () => {
    const values = ['x', ' ', '-1', '1.5', '9'.repeat(30), 'a b', '://', '\0', '{}', ',', '='];
    for (const name of settingNames) {
      for (const value of values) {
        try {
          readConfig({ [name]: value });
        } catch (error) {
          expect((error as Error).message).toMatch(
            /^[A-Z_]+(?:, or the option \S+,)?(?: must |: )/,
          );
          expect((error as Error).message).not.toMatch(/WORDS OF ZOD|undefined|NaN/);
        }
      }
    }
  });

  test('never repeats a database URL, which holds a password', () => {
    const read = () => readConfig({ DOWEL_DATABASE_URL: 'postgres:s3cret', DOWEL_PORT: 'abc' });

    expect(read).toThrow(/^DOWEL_PORT .*\nDOWEL_DATABASE_URL /);
    expect(read).not.toThrow('s3cret');
  });
});
