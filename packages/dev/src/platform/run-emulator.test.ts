import { expect, test } from 'vitest';
import { describeExposure } from './run-emulator.ts';

test.each(['localhost', '127.0.0.1', '127.0.53.1', '::1'])(
  'only this machine reaches %s, so there is no warning',
  (host) => {
    expect(describeExposure(host)).toBeUndefined();
  },
);

test.each(['0.0.0.0', '::', '192.0.2.7', '127.example.com'])(
  'others reach %s, so a warning says what they can do',
  (host) => {
    expect(describeExposure(host)).toMatch(
      /^EMULATOR_HOST is .+: everybody who reaches this machine/,
    );
  },
);
