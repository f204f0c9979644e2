import { systemTimer } from '@dowel/http';
import { expect, test } from 'vitest';
import { maskAnswer, readAnswerStart } from './answer-start.ts';

test.each([
  ['{"error":"invalid_token","path":"/api/things"}', undefined],
  ['{"access_token":"abc","expires_in":3600}', '{"access_token":"[secret]","expires_in":3600}'],
  ['{\\"client_secret\\": \\"abc\\"}', '{\\"client_secret\\": \\"[secret]\\"}'],
  ['{"password":"two words, \\"one\\" more","x":1}', '{"password":"[secret]","x":1}'],
  ['{\\"password\\": \\"two words\\", \\"x\\": 1}', '{\\"password\\": \\"[secret]\\", \\"x\\": 1}'],
  ['{"token":{"value":"abc"},"x":1}', '{"token":{[secret]},"x":1}'],
  ['{"tokens":["abc","def"],"x":1}', '{"tokens":[[secret]],"x":1}'],
  ["password = 'two words", "password = '[secret]"],
  ['<password>abc</password>', '<password>[secret]</password>'],
  ['{"first_name":"Ada","userName":"Ada L."}', '{"first_name":"[name]","userName":"[name]"}'],
  ['{"name":"ValidationError"}', undefined],
  ['refresh_token=abc&x=1', 'refresh_token=[secret]&x=1'],
  ['Authorization: Bearer abc.def', 'Authorization: Bearer [secret]'],
  ['The token eyJhbGciOi.eyJzdWIi.c2ln has ended', 'The token [secret] has ended'],
  ['{"id_token":"eyJhbGciOi.e30.c2ln"}', '{"id_token":"[secret]"}'],
  ['No seat for ada.lovelace+x@example.com, ada%40example.com', 'No seat for [email], [email]'],
  ['Session 6f9619ff-8b86-4011-b42d-00c04fc964ff ended', 'Session [secret] ended'],
  ['key AKIAIOSFODNN7EXAMPLE12 unknown', 'key [secret] unknown'],
  ['The token of this call is own-text-1', 'The token of this call is [secret]'],
  ['<h1>Bad\n  gateway\u0007</h1>', '<h1>Bad gateway </h1>'],
])('%s is shown as %s', (text, shown) => {
  expect(maskAnswer(text, ['own-text-1'])).toBe(shown ?? text);
});

test('at most 200 characters are shown', () => {
  expect(maskAnswer('no '.repeat(100))).toBe(`${'no '.repeat(67).slice(0, 200)}…`);
});

const read = (response: Response) => readAnswerStart(response, { timer: systemTimer, secrets: [] });

test('the start is read from a copy, and the reader of the body gets all of it', async () => {
  const text = `${'no '.repeat(10_000)}end`;
  const response = new Response(text, { status: 500 });

  const start = read(response);

  expect(await response.text()).toBe(text);
  expect(await start).toMatch(/^no no .*…$/);
});

test('of a secret that is only read in part, nothing is shown', async () => {
  const secret = `${'x'.repeat(1_015)} a1b2c3d4e5f6g7h8i9j0k1`;

  expect(await read(new Response(secret))).toBe('[secret]');
});

test('a body that breaks off has no start, and an empty one an empty start', async () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) });

  expect(await read(new Response(broken))).toBeNull();
  expect(await read(new Response(null, { status: 500 }))).toBe('');
});

test('a body that does not come is not waited for', async () => {
  const cancelled = Promise.withResolvers<void>();
  const silent = new ReadableStream({ cancel: () => cancelled.resolve() });
  const response = new Response(silent);
  const ended = {
    ...systemTimer,
    after: (_ms: number, callback: () => void) => {
      callback();
      return () => {};
    },
  };

  expect(await readAnswerStart(response, { timer: ended, secrets: [] })).toBe('');
  await response.body?.cancel();
  await cancelled.promise;
});
