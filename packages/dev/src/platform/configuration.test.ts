import { expect, test } from 'vitest';
import { ConfigurationError, parseConfiguration } from './configuration.ts';

test.each([
  [
    { EMULATOR_SAMPLE_MANIFEST: 'localhost:4310/manifest.json' },
    'EMULATOR_SAMPLE_MANIFEST must be an http(s) URL, such as http://localhost:4310/manifest.json',
  ],
  [{ EMULATOR_EVENT_FORMAT: 'xml' }, 'EMULATOR_EVENT_FORMAT must be form or json'],
  [{ EMULATOR_PORT: '43OO' }, 'EMULATOR_PORT must be a port number from 1 to 65535'],
])('%j is one line', (settings, line) => {
  expect(() => parseConfiguration(settings)).toThrow(new ConfigurationError(line));
});
