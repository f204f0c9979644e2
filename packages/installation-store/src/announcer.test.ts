import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectUnhandled } from '@dowel/settings/testing';
import { expect, test } from 'vitest';
import { createAnnouncer } from './announcer.ts';

test('a listener that throws or rejects changes nothing for the others', async () => {
  const unhandled = collectUnhandled();
  const { add, announce } = createAnnouncer();
  const heard: unknown[] = [];
  add(() => {
    throw new Error('The listener failed');
  });
  add(() => Promise.reject(new Error('The listener failed')));
  add((id) => void heard.push(id));

  announce([{ installationId: 'a', ofTokens: true }]);

  expect(heard).toEqual(['a']);
  await nextTurn();
  expect(unhandled).toEqual([]);
});

test('times at which changes may have been missed are counted', () => {
  const announcer = createAnnouncer();
  announcer.heard.onGap();
  announcer.heard.onGap();

  expect(announcer.gaps()).toBe(2);
});
