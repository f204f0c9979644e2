import { scryptSync } from 'node:crypto';
import { Secret } from '@dowel/schema';
import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './passwords.ts';

test('F14: a password is stored as scrypt with its parameters and a salt of its own', async () => {
  const [one, other] = await Promise.all([
    hashPassword('four words will do'),
    hashPassword('four words will do'),
  ]);

  expect(one.reveal()).toMatch(/^scrypt\$17\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  expect(one.reveal()).not.toBe(other.reveal());
  expect(await verifyPassword('four words will do', one)).toBe(true);
  expect(await verifyPassword('four words will do!', one)).toBe(false);
});

test('a hash with other parameters is verified by them', async () => {
  const salt = Buffer.from('salt');
  const hash = scryptSync('an older password', salt, 32, { N: 2 ** 10, r: 8, p: 2 });
  const stored = ['scrypt', 10, 8, 2, salt.toString('base64url'), hash.toString('base64url')];

  expect(await verifyPassword('an older password', new Secret(stored.join('$')))).toBe(true);
});

test.each(['', 'scrypt$', 'plain text', 'scrypt$17$8$1$$'])(
  'the hash %j fits no password',
  async (stored) => {
    expect(await verifyPassword('', new Secret(stored))).toBe(false);
  },
);

test('two spellings of one text in Unicode are one password', async () => {
  const stored = await hashPassword('Gru\u0308\u00dfe aus Ulm');

  expect(await verifyPassword('Gr\u00fc\u00dfe aus Ulm', stored)).toBe(true);
});
