import { describe, expect, test } from 'vitest';
import { parseSenderAddress } from '../request/sender-address.ts';
import {
  admitNonce,
  countRefusal,
  createReceptionGuard,
  findSender,
  isLimited,
  recogniseSender,
  whileDeciding,
  whileVerifying,
} from './reception-guard.ts';

let nowMs = 1_000_000;
const createGuard = () =>
  createReceptionGuard(
    { refusalsPerAddress: 2, verificationsAtOnce: 4, decisionsAtOnce: 3, noncesPerAddress: 2 },
    () => nowMs,
  );

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

test('an address gets as many nonces a minute as the limit says, also after refusals', () => {
  const guard = createGuard();
  const sender = findSender(guard, '192.0.2.1');
  for (let count = 0; count < 5; count += 1) countRefusal(guard, sender);

  expect([1, 2, 3].map(() => admitNonce(guard, sender))).toEqual([true, true, false]);
  expect(admitNonce(guard, findSender(guard, '192.0.2.2'))).toBe(true);
  nowMs += 60_000;
  expect(admitNonce(guard, sender)).toBe(true);
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
    admitNonce(guard, sender);
    recogniseSender(guard, sender);
  }

  expect(guard.refusals.counted.size).toBe(10_000);
  expect(guard.nonces.counted.size).toBe(10_000);
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

describe('I10: an overloaded process rejects strangers before it rejects the platform', () => {
  const strangers = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];

  /** Adds work that lasts until it is ended. */
  function createWork() {
    const guard = createGuard();
    const end = Promise.withResolvers<void>();
    const platform = findSender(guard, '203.0.113.7');
    recogniseSender(guard, platform);
    const verify = (ip: string) => whileVerifying(guard, findSender(guard, ip), () => end.promise);
    return { guard, end, platform, verify };
  }

  test('while too many JWTs are verified', async () => {
    const { guard, end, platform, verify } = createWork();
    const work = [verify('192.0.2.1'), verify('192.0.2.1'), verify('192.0.2.2')];
    // One address gets half of the places.
    await expect(verify('192.0.2.1')).rejects.toMatchObject({ reason: 'verifications_full' });
    work.push(verify('192.0.2.3'));
    await expect(verify('192.0.2.4')).rejects.toMatchObject({ reason: 'verifications_full' });
    for (let count = 0; count < 4; count += 1) work.push(verify(platform.address));
    await expect(verify(platform.address)).rejects.toMatchObject({ reason: 'verifications_full' });

    end.resolve();
    await Promise.all(work);

    expect(guard.verifying).toEqual({ all: 0, byStranger: new Map() });
    await Promise.all(strangers.map(verify));
  });

  test('while too many verified events wait', async () => {
    const { guard, end, platform, verify } = createWork();
    const wait = () => whileDeciding(guard, () => end.promise);
    const work = [wait(), wait(), wait()];
    await expect(verify('192.0.2.1')).rejects.toMatchObject({ reason: 'lagging' });
    work.push(verify(platform.address), wait(), wait(), wait());
    await expect(verify(platform.address)).rejects.toMatchObject({ reason: 'lagging' });

    end.resolve();
    await Promise.all(work);

    expect(guard.deciding).toBe(0);
    await verify('192.0.2.1');
  });
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
