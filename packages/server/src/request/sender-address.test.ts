import { describe, expect, test } from 'vitest';
import { describeSender, parseSenderAddress } from './sender-address.ts';

describe('one host is known by', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:8080', '192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:1::1', '2001:db8:0:1', '2001:db8:0'],
    ['[2001:db8:0:1::1]:8080', '2001:db8:0:1', '2001:db8:0'],
    ['2001:0db8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:1', '2001:db8:0'],
    ['2001:db8::1', '2001:db8:0:0', '2001:db8:0'],
    ['fe80::1%eth0', 'fe80:0:0:0', 'fe80:0:0'],
    ['::1', '0:0:0:0', '0:0:0'],
    ['1:2:3:4:5:6:7::', '1:2:3:4', '1:2:3'],
    ['', 'unknown', 'unknown'],
    ['acme.example', 'unknown', 'unknown'],
  ])('%j is %s in %s', (text, address, network) => {
    expect(parseSenderAddress(text)).toEqual({ address, network });
  });
});

test.each([
  ['192.0.2.17', '192.0.2.17', '192.0.2.0/24'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64', '2001:db8:0::/48'],
  ['nobody', 'unknown', 'unknown'],
])('people read the sender %s as %s, and its network as %s', (text, address, network) => {
  const sender = parseSenderAddress(text);
  expect(describeSender(sender, 'address')).toBe(address);
  expect(describeSender(sender, 'network')).toBe(network);
});
