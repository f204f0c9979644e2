import { expect, test } from 'vitest';
import { guardObserver, type Observation } from './observation.ts';

const observation: Observation = { type: 'session.opened', plugin: '', installationId: 'i' };

test('an observer is called at once, and may throw or reject', async () => {
  const heard: unknown[] = [];
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', listen);
  try {
    guardObserver((each) => heard.push(each))(observation);
    guardObserver(() => {
      throw new Error('thrown');
    })(observation);
    guardObserver(() => Promise.reject(new Error('rejected')))(observation);
    guardObserver(undefined)(observation);
    expect(heard).toEqual([observation]);
    // Node reports a rejection before the next turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));

    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', listen);
  }
});
