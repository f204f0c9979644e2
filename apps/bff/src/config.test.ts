import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

describe('readConfig', () => {
  test('has a default for everything, and trusts nobody by default', () => {
    expect(readConfig({})).toMatchObject({
      port: 4310,
      host: '127.0.0.1',
      publicUrl: 'http://localhost:4310',
      trustRules: [],
    });
  });

  test('takes an empty variable for one that is not set', () => {
    expect(readConfig({ DOWEL_PORT: '', DOWEL_TRUST: '' })).toEqual(readConfig({}));
  });

  test.each([
    [{ DOWEL_PORT: 'abc' }, /^DOWEL_PORT must be a port number from 1 to 65535$/],
    [{ DOWEL_PORT: '0' }, /^DOWEL_PORT must be a port number from 1 to 65535$/],
    [{ DOWEL_PORT: '70000' }, /^DOWEL_PORT must be a port number/],
    [{ DOWEL_PUBLIC_URL: 'localhost' }, /^DOWEL_PUBLIC_URL must be an http\(s\) URL/],
    [{ DOWEL_TRUST: 'acme' }, /^DOWEL_TRUST: "acme" is not of the form/],
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /^NODE_TLS_REJECT_UNAUTHORIZED must not be 0/],
    [{ DOWEL_PROXY_HOPS: '-1' }, /^DOWEL_PROXY_HOPS /],
    [{ DOWEL_INTERNAL_HOSTS: 'https://x' }, /^DOWEL_INTERNAL_HOSTS must be hosts/],
    [{ DOWEL_HISTORY_DAYS: '0' }, /^DOWEL_HISTORY_DAYS must be a number of days from 1 to 3650$/],
    [{ DOWEL_DATABASE_URL: 'mysql://db/dowel' }, /^DOWEL_DATABASE_URL must be a PostgreSQL URL/],
    [
      { DOWEL_DATABASE_URL: 'postgres://[db/dowel' },
      /^DOWEL_DATABASE_URL must be a PostgreSQL URL/,
    ],
    [{ DOWEL_LOG_LEVEL: 'loud' }, /^DOWEL_LOG_LEVEL must be trace, debug/],
  ])('%j is one line that says how to mend it', (environment, line) => {
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
        NODE_ENV: 'production',
      }),
    ).toMatchObject({
      database: { url: 'postgresql://dowel:word@db/dowel' },
      keyFile: { path: '/keys/dowel.key', production: true },
    });
  });

  test('never repeats a database URL, which holds a password', () => {
    const read = () => readConfig({ DOWEL_DATABASE_URL: 'postgres:s3cret', DOWEL_PORT: 'abc' });

    expect(read).toThrow(/^DOWEL_PORT .*\nDOWEL_DATABASE_URL /);
    expect(read).not.toThrow('s3cret');
  });
});
