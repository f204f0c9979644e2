import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createAnnouncer } from './announcer.ts';

test('a listener that throws or rejects changes nothing for the others', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const { add, announce } = createAnnouncer();
  const heard: unknown[] = [];
  add(() => {
    throw new Error('The listener failed');
  });
  add(() => Promise.reject(new Error('The listener failed')));
  add((id) => void heard.push(id));

  announce([{ installationId: 'a', ofTokens: true }]);

  expect(heard).toEqual(['a']);
  // A rejection that nobody handles is reported in the next turn of the loop.
  await nextTurn();
  expect(unhandled).toEqual([]);
});
