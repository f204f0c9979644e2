import { expect, test } from 'vitest';
import {
  countRefusal,
  createReceptionGuard,
  findSender,
  isLimited,
  isOverloaded,
  recogniseSender,
} from './reception-guard.ts';
import { parseSenderAddress } from './sender-address.ts';

let nowMs = 1_000_000;
const createGuard = () =>
  createReceptionGuard({ refusalsPerMinute: 2, maxLagMs: 200 }, () => nowMs);

test('a sender that was refused too often waits until its minute is over', () => {
  const guard = createGuard();
  const sender = findSender(guard, '192.0.2.1');
  countRefusal(guard, sender);
  expect(isLimited(guard, sender)).toBe(false);
  nowMs += 30_000;
  countRefusal(guard, sender);
  expect(isLimited(guard, sender)).toBe(true);
  expect(isLimited(guard, findSender(guard, '192.0.2.2'))).toBe(false);

  nowMs += 29_999;
  expect(isLimited(guard, sender)).toBe(true);
  nowMs += 1;
  expect(isLimited(guard, sender)).toBe(false);
});

test('a clock that is set back does not limit a sender for longer', () => {
  const guard = createGuard();
  const sender = findSender(guard, '192.0.2.1');
  countRefusal(guard, sender);
  countRefusal(guard, sender);

  nowMs -= 3_600_000;

  expect(isLimited(guard, sender)).toBe(false);
});

test('strangers from a million addresses cannot fill the memory', () => {
  const guard = createGuard();
  for (let index = 0; index < 30_000; index += 1) {
    const sender = findSender(guard, `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
    countRefusal(guard, sender);
    recogniseSender(guard, sender);
  }

  expect(guard.refusals.size).toBe(10_000);
  expect(guard.known.size).toBe(1_000);
});

test('a known sender stays known while others come and go', () => {
  const guard = createGuard();
  const platform = findSender(guard, '203.0.113.7');
  expect(platform.isKnown).toBe(false);
  for (let index = 0; index < 3_000; index += 1) {
    recogniseSender(guard, platform);
    recogniseSender(guard, findSender(guard, `10.0.${index >> 8}.${index & 255}`));
  }

  expect(platform.isKnown).toBe(true);
});

test('I10: an overloaded process rejects strangers before it rejects the platform', () => {
  const guard = createGuard();
  let lagMs = 201;
  guard.lag = { currentMs: () => lagMs };
  const platform = findSender(guard, '203.0.113.7');
  recogniseSender(guard, platform);

  expect(isOverloaded(guard, findSender(guard, '192.0.2.1'))).toBe(true);
  expect(isOverloaded(guard, platform)).toBe(false);
  lagMs = 801;
  expect(isOverloaded(guard, platform)).toBe(true);
});

test.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:0201', '192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2', '2001:db8:1'],
  ['2001:0DB8:0001:2::9', '2001:db8:1:2', '2001:db8:1'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2', '2001:db8:1'],
  ['2001:db8::9', '2001:db8:0:0', '2001:db8:0'],
  ['fe80::1%eth0', 'fe80:0:0:0', 'fe80:0:0'],
  ['::1', '0:0:0:0', '0:0:0'],
  ['', 'unknown', 'unknown'],
  ['_hidden', 'unknown', 'unknown'],
  ['[x]', 'unknown', 'unknown'],
  ['1.2.3.4.5', 'unknown', 'unknown'],
])('the sender at %j is %s of %s', (text, address, network) => {
  expect(parseSenderAddress(text)).toEqual({ address, network });
});
