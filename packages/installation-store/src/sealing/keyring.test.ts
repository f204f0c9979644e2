import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Secret } from '@dowel/schema';
import { describe, expect, test } from 'vitest';
import { createEncryptionKey, createKeyring } from './keyring.ts';

const place = ['https://acme.example.com', 'tenant', 'plugin', '1', 'access_token_sealed'];
/** Has a length that leaves bits of the last character unused. */
const secret = new Secret('canary ü "x');

describe('a keyring', () => {
  test('seals with its first key and opens with all of its keys', () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const old = createKeyring(first);
    const rotated = createKeyring(second, first);

    const sealed = old.encrypt(secret, place);

    expect(rotated.decrypt(sealed, place).reveal()).toBe(secret.reveal());
    expect(rotated.keyIds()).toEqual([createKeyring(second).activeKeyId(), old.activeKeyId()]);
    expect(rotated.encrypt(secret, place)).toMatch(
      new RegExp(`^${rotated.activeKeyId()}\\.[\\w-]+$`),
    );
  });

  test.each(place.map((_part, index) => index))(
    'E03: a value does not open at another place (part %i)',
    (index) => {
      const keyring = createKeyring(randomBytes(32));
      const sealed = keyring.encrypt(secret, place);

      expect(() => keyring.decrypt(sealed, place.with(index, 'other'))).toThrow(
        expect.objectContaining({ code: 'SECRET_INTEGRITY' }),
      );
    },
  );

  test('a value with any one bit flipped does not open', () => {
    const keyring = createKeyring(randomBytes(32));
    const sealed = Buffer.from(keyring.encrypt(secret, place));

    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const flipped = Buffer.from(sealed);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => keyring.decrypt(flipped.toString('latin1'), place)).toThrow(
        expect.objectContaining({ code: 'SECRET_INTEGRITY' }),
      );
    }
  });

  test.each(['', '.', 'plain text', 'deadbeef.', 'deadbeef.AAAA'])('%j does not open', (text) => {
    const keyring = createKeyring(randomBytes(32));

    expect(() => keyring.decrypt(text, place)).toThrow(
      expect.objectContaining({ code: 'SECRET_INTEGRITY' }),
    );
  });

  test('the error of a value without a key contains the id of the key', () => {
    const gone = createKeyring(randomBytes(32));
    const sealed = gone.encrypt(secret, place);

    expect(() => createKeyring(randomBytes(32)).decrypt(sealed, place)).toThrow(gone.activeKeyId());
  });

  test('E05: 200,000 values have 200,000 nonces', () => {
    const keyring = createKeyring(randomBytes(32));
    const nonces = new Set<string>();
    for (let count = 0; count < 200_000; count += 1) {
      nonces.add(keyring.encrypt(secret, place).slice(9, 25));
    }

    expect(nonces.size).toBe(200_000);
  });
});

describe('a marked text', () => {
  const purpose = 'session nonce';

  test('is known by every keyring that has the key', () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const mark = createKeyring(first).authenticate('text', purpose);

    expect(createKeyring(first).isAuthentic(mark, 'text', purpose)).toBe(true);
    expect(createKeyring(second, first).isAuthentic(mark, 'text', purpose)).toBe(true);
    expect(mark).toMatch(/^[0-9a-f]{8}\.[\w-]{22}$/);
  });

  test('G02: is not known by another key, as another text, or for another purpose', () => {
    const keyring = createKeyring(randomBytes(32));
    const mark = keyring.authenticate('text', purpose);

    expect(createKeyring(randomBytes(32)).isAuthentic(mark, 'text', purpose)).toBe(false);
    expect(keyring.isAuthentic(mark, 'texts', purpose)).toBe(false);
    expect(keyring.isAuthentic(mark, 'text', 'another')).toBe(false);
  });

  test('G02: is not known with any one bit of its mark flipped, or with a mark of another length', () => {
    const keyring = createKeyring(randomBytes(32));
    const mark = keyring.authenticate('text', purpose);

    for (let bit = 0; bit < mark.length * 8; bit += 1) {
      const flipped = Buffer.from(mark);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(keyring.isAuthentic(flipped.toString('latin1'), 'text', purpose)).toBe(false);
    }
    const id = keyring.activeKeyId();
    for (const other of ['', '.', id, `${id}.`, `${mark}A`, mark.slice(0, -1)]) {
      expect(keyring.isAuthentic(other, 'text', purpose)).toBe(false);
    }
  });

  test('G02: is not known by an old key that anybody can guess', () => {
    const weak = Buffer.alloc(32, 7);
    const [id, text] = [createEncryptionKey(weak).id, 'text'];
    const derived = Buffer.from(hkdfSync('sha256', weak, '', `dowel ${purpose}`, 32));
    const mark = createHmac('sha256', derived).update(text).digest().subarray(0, 16);
    const rotated = createKeyring(randomBytes(32), weak);

    const isKnown = rotated.isAuthentic(`${id}.${mark.toString('base64url')}`, text, purpose);

    expect(isKnown).toBe(false);
  });
});
