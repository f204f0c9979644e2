import { expect, test } from 'vitest';
import { describeLogLine } from './describe-log-line.ts';

test.each([
  [
    '{"level":"warn","time":1,"msg":"hook.failed","name":"x","hook":"install"}',
    'warn',
    'hook.failed hook=install',
  ],
  ['{"level":50,"pid":1,"message":"no","err":{"code":"E"}}', 'error', 'no err={"code":"E"}'],
  ['{"ready":true}', 'info', 'ready=true'],
  ['{ not JSON', 'info', '{ not JSON'],
  ['Listening', 'info', 'Listening'],
])('%s is one plain line', (line, level, text) => {
  expect(describeLogLine(line)).toEqual({ level, text });
});
