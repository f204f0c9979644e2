import { expect, test } from 'vitest';
import { readPostgresUrl } from './postgres-pool.ts';

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
