import { expect, test } from 'vitest';
import { explainFetchFailure } from './explain-fetch-failure.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { startHttpHost } from './testing/index.ts';

async function explain(fetched: Promise<unknown>): Promise<string> {
  return explainFetchFailure(await fetched.then(() => undefined).catch((error: unknown) => error));
}

test('a fetch that got no answer says why', async () => {
  await using host = await startHttpHost();
  const silent = host.serve('/silent', () => undefined);
  const cut = host.serve('/cut', (request) => void request.destroy());
  const half = host.serve('/half', (request, response) => {
    response.writeHead(200, { 'content-length': '2', connection: 'close' });
    response.write('a', () => request.destroy());
  });
  const headers = host.serve('/headers', (_, response) => {
    response.writeHead(200, { 'x-long': 'a'.repeat(20_000) }).end();
  });

  expect(await explain(fetch(silent, { signal: AbortSignal.timeout(1) }))).toBe(
    'no answer came in time',
  );
  expect(await explain(fetch(cut))).toBe('UND_ERR_SOCKET: the other side closed the connection');
  expect(await explain(fetch(half).then((response) => response.text()))).toBe(
    'UND_ERR_RES_CONTENT_LENGTH_MISMATCH: the answer is cut off',
  );
  expect(await explain(fetch(headers))).toBe(
    'UND_ERR_HEADERS_OVERFLOW: the headers of the answer are too long',
  );
  expect(await explain(createGuardedFetch()(cut))).toBe(
    'ADDRESS_NOT_ALLOWED: the address is private, and not allowed',
  );
});

test('a host of two addresses that refuse is explained by one of them', async () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const cause = new AggregateError([refused, refused]);

  expect(explainFetchFailure(new TypeError('fetch failed', { cause }))).toBe(
    'ECONNREFUSED: nothing listens there',
  );
});

test.each([
  [new Error('it answers with status 404'), 'it answers with status 404'],
  [Object.assign(new Error('connect'), { code: 'EODD' }), 'EODD'],
  ['no error', 'unknown cause'],
])('an unknown cause is named by its code or its text: %s', (cause, reason) => {
  expect(explainFetchFailure(cause)).toBe(reason);
});
