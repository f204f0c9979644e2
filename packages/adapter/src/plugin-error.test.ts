import { expect, test } from 'vitest';
import { fail, PluginError, type PluginErrorCode, toPluginError } from './plugin-error.ts';

const specified: Partial<Record<PluginErrorCode, string>> = {
  ERR2: 'Invalid plug-in token',
  ERR6: 'Initialization timed out',
};

test.each<[PluginErrorCode, boolean]>([
  ['ERR0', false],
  ['ERR1', false],
  ['ERR2', false],
  ['ERR3', false],
  ['ERR4', false],
  ['ERR5', false],
  ['ERR6', true],
  ['ERR7', true],
  ['ERR8', false],
  ['ERR_NOT_EMBEDDED', false],
  ['ERR_ABORTED', false],
  ['ERR_DESTROYED', false],
  ['ERR_CONFIG', false],
  ['ERR_SESSION', false],
  ['ERR_NETWORK', true],
])('%s describes what happened; another try may help: %j', (code, retryable) => {
  const cause = new Error('below');

  const error = new PluginError(code, 'What was seen', cause);

  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'PluginError',
    code,
    message: specified[code] ?? 'What was seen',
    diagnosis: 'What was seen',
    retryable,
    cause,
  });
});

test('a PluginError keeps its own code; anything else becomes the cause', () => {
  const own = new PluginError('ERR8', 'Own');
  expect(toPluginError('ERR2', 'Other', own)).toBe(own);
  expect(toPluginError('ERR2', 'Other', 'text')).toMatchObject({ code: 'ERR2', cause: 'text' });
  expect(() => fail('ERR2', 'Other', own)).toThrow(own);
});

test('a diagnosis is cut after 200 characters, including what it quotes', () => {
  const quoted = 'A'.repeat(750_000);
  const { diagnosis, message } = toPluginError('ERR8', `Not in jkuOrigins: ${quoted}`);
  expect([diagnosis.length, message.length]).toEqual([200, 200]);
});
