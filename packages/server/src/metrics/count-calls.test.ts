import type { TokenClient } from '@dowel/token-client';
import { expect, test } from 'vitest';
import { countCalls } from './count-calls.ts';
import { createMetrics } from './create-metrics.ts';

test.each<[string, Error, number]>([
  ['a lost connection', new TypeError('fetch failed', { cause: new Error('reset') }), 1],
  ['a wrong path', new TypeError('The path is not relative'), 0],
  ['an abort', new DOMException('Aborted', 'AbortError'), 0],
])('%s counts as a call without an answer or not: %o', async (_what, error, expected) => {
  const metrics = createMetrics('1.0.0');
  const client: Pick<TokenClient, 'fetch'> = { fetch: () => Promise.reject(error) };
  const { fetch } = countCalls(metrics, client);

  await expect(fetch('id', '/path')).rejects.toBe(error);

  expect(metrics.calls.none).toBe(expected);
});
