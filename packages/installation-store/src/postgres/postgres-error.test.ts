import pg from 'pg';
import { expect, test } from 'vitest';
import { toStoreError } from './postgres-error.ts';

test('the error of a name with several refused addresses has the code, because it has no message', () => {
  const refused = Object.assign(new AggregateError([new Error('::1'), new Error('127.0.0.1')]), {
    code: 'ECONNREFUSED',
  });

  expect(toStoreError(refused, 'The database dowel at localhost:5432')).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: 'The database dowel at localhost:5432 cannot be used now: ECONNREFUSED',
  });
});

test.each([
  ['a statement that took too long', '57014', true],
  ['a full disk', '53100', true],
  ['a server that stops', '57P01', false],
  ['a lost connection', '08006', false],
])('D3: the answer %s says whether the commit may be stored', (_what, code, isUnwritten) => {
  const error = Object.assign(new pg.DatabaseError('refused', 1, 'error'), { code });

  expect(toStoreError(error, 'The database')).toMatchObject({ isUnwritten });
});

test.each([
  ['without a connection', false, true],
  ['whose connection was lost', true, false],
])('D3: the error of a statement %s says whether it may be stored', (_, isSent, isUnwritten) => {
  const error = new Error('Connection terminated unexpectedly');

  expect(toStoreError(error, 'The database', isSent)).toMatchObject({ isUnwritten });
});

test.each([
  ['a statement that took too long', '57014', 'database_busy'],
  ['a lock that was not given', '55P03', 'database_busy'],
  ['too many connections', '53300', 'database_busy'],
  ['a deadlock', '40P01', 'database_busy'],
  ['a full disk', '53100', 'database_unreachable'],
  ['a server that stops', '57P01', 'database_unreachable'],
  ['a standby', '25006', 'database_unreachable'],
])('%s has a reason of its own', (_what, code, reason) => {
  const error = Object.assign(new pg.DatabaseError('refused', 1, 'error'), { code });

  expect(toStoreError(error, 'The database')).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    reason,
  });
});
