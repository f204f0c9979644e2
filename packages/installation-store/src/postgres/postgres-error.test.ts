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
