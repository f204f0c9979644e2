import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectUnhandled } from '@dowel/settings/testing';
import { expect, test } from 'vitest';
import { guardObserver, type Observation } from './observation.ts';

const observation: Observation = { type: 'session.opened', plugin: '', installationId: 'i' };

test('an observer is called at once, and may throw or reject', async () => {
  const heard: unknown[] = [];
  const unhandled = collectUnhandled();

  guardObserver((each) => heard.push(each))(observation);
  guardObserver(() => {
    throw new Error('thrown');
  })(observation);
  guardObserver(() => Promise.reject(new Error('rejected')))(observation);
  guardObserver(undefined)(observation);

  expect(heard).toEqual([observation]);
  await nextTurn();
  expect(unhandled).toEqual([]);
});
