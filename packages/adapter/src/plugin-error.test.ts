import { expect, test } from 'vitest';
import { fail, PluginError, type PluginErrorCode, toPluginError } from './plugin-error.ts';

const insecure = 'Insecure plug-in communication';
const invalid = 'Invalid plug-in token';

test.each<[PluginErrorCode, string, boolean]>([
  ['ERR0', insecure, false],
  ['ERR1', insecure, false],
  ['ERR2', invalid, false],
  ['ERR3', invalid, false],
  ['ERR4', invalid, false],
  ['ERR5', invalid, false],
  ['ERR6', 'Initialization timed out', true],
  ['ERR7', insecure, true],
  ['ERR8', insecure, false],
  ['ERR_NOT_EMBEDDED', 'What was seen', false],
  ['ERR_ABORTED', 'What was seen', false],
  ['ERR_DESTROYED', 'What was seen', false],
  ['ERR_CONFIG', 'What was seen', false],
  ['ERR_SESSION', 'What was seen', false],
  ['ERR_NETWORK', 'What was seen', true],
])('%s says "%s"; that trying again may help is %j', (code, message, retryable) => {
  const cause = new Error('below');

  const error = new PluginError(code, 'What was seen', cause);

  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: 'PluginError', code, message, retryable, cause });
  expect(error.diagnosis).toBe('What was seen');
});

test('a PluginError keeps its own code; anything else becomes the cause', () => {
  const own = new PluginError('ERR8', 'Own');
  expect(toPluginError('ERR2', 'Other', own)).toBe(own);
  expect(toPluginError('ERR2', 'Other', 'text')).toMatchObject({ code: 'ERR2', cause: 'text' });
  expect(() => fail('ERR2', 'Other', own)).toThrow(own);
});
