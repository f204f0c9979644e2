import { expect, test } from 'vitest';
import { describeLogLine } from './describe-log-line.ts';

test.each([
  [
    '{"level":"warn","time":1,"msg":"hook.failed","name":"x","hook":"install"}',
    'warn',
    'hook.failed hook=install',
  ],
  ['{"level":50,"pid":1,"message":"no","err":{"code":"E"}}', 'error', 'no err={"code":"E"}'],
  [
    '{"level":"error","msg":"operation.failed","err":{"type":"PlatformError","code":"ABORTED","message":"It was ended"},"operation":"vote"}',
    'error',
    'operation.failed operation=vote\nABORTED: It was ended',
  ],
  ['{"ready":true}', 'info', 'ready=true'],
  ['{ not JSON', 'info', '{ not JSON'],
  ['Listening', 'info', 'Listening'],
])('%s is plain text', (line, level, text) => {
  expect(describeLogLine(line)).toEqual({ level, text });
});

test('an error has its own lines, with the calls of the author', () => {
  const stack = [
    'TypeError: no soup',
    '    at run (file:///lunch/server/operations.ts:52:7)',
    '    at perform (file:///lunch/node_modules/@dowel/server/lib/perform.js:1:1)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)',
    'caused by: Error: no water',
    '    at cook (file:///lunch/server/kitchen.ts:3:1)',
  ];
  const err = { type: 'TypeError', message: 'no soup', stack: stack.join('\n') };

  expect(describeLogLine(JSON.stringify({ level: 'error', msg: 'failed', err, at: 1 })).text).toBe(
    ['failed at=1', stack[0], stack[1], stack[4], stack[5]].join('\n'),
  );
});
