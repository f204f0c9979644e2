/**
 * Encryption at rest: AES-256-GCM per value, 96-bit random nonce, the place of the value as
 * additional data, so that a ciphertext moved to another row or column does not decrypt. Each
 * ciphertext names its key, so that values of an old key and of a new one are stored side by side (decision 13).
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { Secret } from '@dowel/schema';
import { StoreError } from '../errors.ts';

export interface Keyring {
  /** The key that seals. */
  activeKeyId(): string;
  /** All keys that open values, the active one first. */
  keyIds(): string[];
  /** Whether a key opens values. A key file is read once more for a key that is unknown. */
  has(keyId: string): boolean;
  encrypt(secret: Secret, place: readonly string[]): string;
  /** @throws StoreError `SECRET_INTEGRITY`. */
  decrypt(ciphertext: string, place: readonly string[]): Secret;
  /**
   * Marks a text, so that it can be recognized when a stranger sends it back. The key of the mark is derived
   * from the active one (RFC 5869), so this is no use of a key that seals.
   *
   * @returns the key's id, a dot, and 128 bits in base64url.
   */
  authenticate(text: string, purpose: string): string;
  /** Whether a keyring with one of these keys has marked this text for this purpose. */
  isAuthentic(mark: string, text: string, purpose: string): boolean;
}

export interface EncryptionKey {
  /** Public: eight hex digits of a digest. */
  id: string;
  key: KeyObject;
}

export const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** HMAC-SHA256, cut to half (RFC 2104 §5). */
const markBytes = 16;
const keyIdPattern = /^[0-9a-f]{8}$/;

/** @param bytes 32 of them. */
export function createEncryptionKey(bytes: Uint8Array): EncryptionKey {
  if (bytes.byteLength !== keyBytes) throw new TypeError('An encryption key has 32 bytes');
  const digest = createHash('sha256').update('dowel key id').update(bytes).digest('hex');
  return { id: digest.slice(0, 8), key: createSecretKey(bytes) };
}

/** A random source produces fewer than 16 different bytes of 32 less than once in 10¹⁵ tries. */
const minDifferentBytes = 16;

/**
 * Why a key must not seal: its bytes are all equal, few, or a count, so it is a placeholder. As an old key it
 * still opens, so that it can be replaced. Undefined: nothing is wrong.
 */
export function describeWeakness({ key }: EncryptionKey): string | undefined {
  const bytes = key.export();
  const steps = new Set(bytes.map((byte, index) => byte - (bytes[index - 1] ?? 0)).subarray(1));
  if (steps.size === 1) return 'its bytes are all equal, or count up or down';
  if (new Set(bytes).size < minDifferentBytes) return 'its bytes repeat';
  return undefined;
}

/**
 * A keyring with fixed keys.
 *
 * @example
 * const keyring = createKeyring(randomBytes(32));
 * const sealed = keyring.encrypt(new Secret('hunter2'), ['grants', 'access_token']);
 * const opened = keyring.decrypt(sealed, ['grants', 'access_token']);
 *
 * @param active 32 random bytes; seals and opens. The others, as long, only open.
 * @throws TypeError for a key of another length, and for an active one that is not a random key.
 */
export function createKeyring(active: Uint8Array, ...others: Uint8Array[]): Keyring {
  const keys = [active, ...others].map(createEncryptionKey);
  const weakness = keys.slice(0, 1).map(describeWeakness).join();
  if (weakness) throw new TypeError(`The active encryption key is not random: ${weakness}`);
  return createKeyringFrom(keys);
}

/**
 * Creates a keyring whose first key seals.
 *
 * @param readAgain returns the keys of the file. It is called when a value names an unknown key. Its keys only open.
 */
export function createKeyringFrom(
  keys: readonly EncryptionKey[],
  readAgain: () => readonly EncryptionKey[] = () => [],
): Keyring {
  const [active] = keys;
  if (!active) throw new TypeError('A keyring has at least one key');
  const known = new Map(keys.map((key) => [key.id, key]));

  function findKey(id: string | undefined): EncryptionKey | undefined {
    if (id === undefined) return undefined;
    if (!known.has(id)) for (const key of readAgain()) known.set(key.id, key);
    return known.get(id);
  }

  return {
    activeKeyId: () => active.id,
    keyIds: () => [...known.keys()],
    has: (keyId) => findKey(keyId) !== undefined,

    encrypt(secret, place) {
      const { id, key } = active;
      // control E05
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additionalData(place, id));
      const body = Buffer.concat([cipher.update(secret.reveal(), 'utf8'), cipher.final()]);
      return `${id}.${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url')}`;
    },

    decrypt: (ciphertext, place) => decrypt(findKey(keyIdOf(ciphertext)), ciphertext, place),

    authenticate: (text, purpose) => markWith(active, text, purpose),

    isAuthentic(mark, text, purpose) {
      const found = findKey(keyIdOf(mark));
      // A weak key can be guessed, so a mark with it proves nothing. It still opens the values that it has
      // sealed.
      if (!found || describeWeakness(found)) return false;
      const [expected, given] = [markWith(found, text, purpose), mark].map((each) =>
        Buffer.from(each),
      ) as [Buffer, Buffer];
      return expected.byteLength === given.byteLength && timingSafeEqual(expected, given);
    },
  };
}

function decrypt(
  found: EncryptionKey | undefined,
  ciphertext: string,
  place: readonly string[],
): Secret {
  if (!found) {
    const id = keyIdOf(ciphertext);
    const key = id === undefined ? 'no known key' : `key ${id}, which the key file lacks`;
    throw new StoreError('SECRET_INTEGRITY', `${place.at(-1)} is sealed with ${key}`, {
      keyId: id,
    });
  }
  try {
    return open(ciphertext, additionalData(place, found.id), found.key);
  } catch (cause) {
    throw new StoreError(
      'SECRET_INTEGRITY',
      `${place.at(-1)} does not decrypt: it was damaged, or moved from another place`,
      { cause },
    );
  }
}

function markWith({ id, key }: EncryptionKey, text: string, purpose: string): string {
  const derived = Buffer.from(hkdfSync('sha256', key, '', `dowel ${purpose}`, keyBytes));
  const mark = createHmac('sha256', derived).update(text).digest().subarray(0, markBytes);
  return `${id}.${mark.toString('base64url')}`;
}

/** The key that a ciphertext or a mark names; undefined when it names none. */
export function keyIdOf(ciphertext: string): string | undefined {
  const id = ciphertext.slice(0, Math.max(0, ciphertext.indexOf('.')));
  return keyIdPattern.test(id) ? id : undefined;
}

function additionalData(place: readonly string[], keyId: string): Buffer {
  return Buffer.from(JSON.stringify([...place, keyId]));
}

function open(ciphertext: string, place: Buffer, key: KeyObject): Secret {
  const text = ciphertext.slice(ciphertext.indexOf('.') + 1);
  const sealed = Buffer.from(text, 'base64url');
  // Node's decoder skips characters that are not base64url, but a damaged text must not open.
  if (sealed.toString('base64url') !== text) throw new Error('The ciphertext is not base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(place)
    .setAuthTag(sealed.subarray(-tagBytes));
  const body = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
  return new Secret(Buffer.concat([body, decipher.final()]).toString('utf8'));
}
