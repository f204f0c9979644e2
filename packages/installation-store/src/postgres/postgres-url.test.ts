import { expect, test } from 'vitest';
import { readPostgresUrl } from './postgres-url.ts';

test('the error of a missing certificate names its path, without the URL', () => {
  const read = () => readPostgresUrl('postgres://u:s3cret@db/dowel?sslrootcert=/missing.pem');

  expect(read).toThrow('The database URL names /missing.pem, which cannot be read: ENOENT');
  expect(read).not.toThrow('s3cret');
});

test('the error of an invalid database URL does not contain the URL', () => {
  const read = () => readPostgresUrl('mysql://u:s3cret@db/dowel');

  expect(read).toThrow(expect.objectContaining({ code: 'DATABASE_UNUSABLE' }));
  expect(read).not.toThrow('s3cret');
});

const read = (url: string) => {
  const { name, servers, mustWrite } = readPostgresUrl(url);
  return { name, places: servers.map(({ host, port }) => `${host}:${port}`), mustWrite };
};

test('a URL may name several servers: the one that takes writes is used', () => {
  expect(read('postgresql://u:p%40ss@a,b:5433,[::1]:5434/dowel')).toEqual({
    name: 'The database dowel at a:5432, b:5433, ::1:5434',
    places: ['a:5432', 'b:5433', '::1:5434'],
    mustWrite: true,
  });
  expect(read('postgres://u@a,b/dowel?target_session_attrs=any').mustWrite).toBe(false);
  expect(read('postgres://u@a/dowel').mustWrite).toBe(false);
  expect(read('postgres://u@a/dowel?target_session_attrs=read-write').mustWrite).toBe(true);
});

test('a URL may name a socket', () => {
  expect(read('postgres:///dowel?host=/run/postgresql').places).toEqual(['/run/postgresql:5432']);
  expect(read('postgres://%2Frun%2Fpostgresql/dowel').places).toEqual(['/run/postgresql:5432']);
});

test.each([
  ['postgres://u:s3cret@a/dowel?service=x', 'the parameter service'],
  ['postgres://u:s3cret@a/dowel?passfile=/x', 'the parameter passfile'],
  ['postgres://u:s3cret@a/dowel?pgbouncer=true', 'the parameter pgbouncer'],
  ['postgres://u:s3cret@a/dowel?target_session_attrs=standby', 'target_session_attrs=standby'],
])('%s is refused by name', (url, named) => {
  expect(() => readPostgresUrl(url)).toThrow(named);
  expect(() => readPostgresUrl(url)).not.toThrow('s3cret');
});
