import { expect, test } from 'vitest';
import { describeStart, emulatorTrust } from './start-banner.ts';

const emulatorUrl = 'http://localhost:4300';
const backEnd = { url: 'http://localhost:4310', warnings: ['Mind the step.'] };
const others = 'https://*.example.com=https://keys.example.com/';

const describeWith = (trust: string) =>
  describeStart({ emulatorUrl, trust, dataDir: '/data', backEnd });

test.each([
  emulatorTrust(emulatorUrl),
  `${others},${emulatorTrust(emulatorUrl)}`,
  `*=${emulatorUrl}/`,
])('with DOWEL_TRUST=%s the first thing to do is to open the emulator', (trust) => {
  expect(describeWith(trust)).toContain('1. Open the emulator and sign in as anyone.');
  expect(describeWith(trust)).not.toContain('not trusted');
});

test('with a sign-in link it says how long the link is valid', () => {
  const signIn = { url: 'http://localhost:4310/admin/#link', until: '10:15' };
  const text = describeStart({
    emulatorUrl,
    trust: emulatorTrust(emulatorUrl),
    dataDir: '/data',
    backEnd: { ...backEnd, signIn },
  });

  expect(text).toContain('until 10:15:\n    http://localhost:4310/admin/#link\n');
});

test('without one, as in production, it says how to get a link', () => {
  const text = describeWith(emulatorTrust(emulatorUrl));

  expect(text).toContain('get a link: npm run dowel sign-in.');
  expect(text).not.toContain('undefined');
});

test.each([
  others,
  `${emulatorUrl}=https://keys.example.com/`,
  `${emulatorUrl}=${emulatorUrl}/keys/`,
  'http://localhost:4301=http://localhost:4300/certificates/',
])(
  'with DOWEL_TRUST=%s it says that the emulator is not trusted, and how to change it',
  (trust) => {
    const text = describeWith(trust);

    expect(text).toContain('DOWEL_TRUST leaves the emulator out');
    expect(text).toContain(`\n    ${emulatorTrust(emulatorUrl)}\n`);
    expect(text).toContain(`${emulatorUrl}   (not trusted)`);
    expect(text).not.toContain('Open the emulator');
    expect(text).toContain('Mind the step.');
  },
);
