/**
 * Encryption at rest: AES-256-GCM per value, 96-bit random nonce, the place of the value as
 * additional data, so that a ciphertext moved to another row or column does not decrypt.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Secret } from '@dowel/schema';
import { StoreError } from './errors.ts';

export interface Keyring {
  encrypt(secret: Secret, place: readonly string[]): string;
  /** @throws StoreError `SECRET_INTEGRITY`. */
  decrypt(ciphertext: string, place: readonly string[]): Secret;
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** @param key 32 bytes. */
export function createKeyring(key: Uint8Array): Keyring {
  if (key.byteLength !== keyBytes) throw new TypeError('An encryption key has 32 bytes');
  const keyId = createHash('sha256').update('dowel key id').update(key).digest('hex').slice(0, 8);

  function additionalData(place: readonly string[]): Buffer {
    return Buffer.from(JSON.stringify([...place, keyId]));
  }

  return {
    encrypt(secret, place) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additionalData(place));
      const body = Buffer.concat([cipher.update(secret.reveal(), 'utf8'), cipher.final()]);
      return `${keyId}.${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')}`;
    },

    decrypt(ciphertext, place) {
      try {
        const sealed = Buffer.from(ciphertext.slice(ciphertext.indexOf('.') + 1), 'base64url');
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        })
          .setAAD(additionalData(place))
          .setAuthTag(sealed.subarray(-tagBytes));
        const body = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
        return new Secret(Buffer.concat([body, decipher.final()]).toString('utf8'));
      } catch (cause) {
        const where = place.at(-1) ?? 'a value';
        throw new StoreError(
          'SECRET_INTEGRITY',
          `${where} does not decrypt with the configured encryption key`,
          { cause },
        );
      }
    },
  };
}

/**
 * Reads the key from `path`, or makes one there (mode 0600) when the file does not exist.
 *
 * @throws StoreError `KEY_UNUSABLE`.
 */
export function loadOrCreateKeyring(path: string): Keyring {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    try {
      const text = randomBytes(keyBytes).toString('base64url');
      writeFileSync(path, `${text}\n`, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      chmodSync(path, 0o600);
    }
    return createKeyring(Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url'));
  } catch (cause) {
    throw new StoreError(
      'KEY_UNUSABLE',
      `The encryption key file ${path} cannot be used: ${(cause as Error).message}`,
      { cause },
    );
  }
}
