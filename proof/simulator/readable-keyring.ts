/** A keyring that seals nothing, so that the checks see which secrets are stored, and where. */
import { randomBytes } from 'node:crypto';
import { createKeyring, type Keyring, StoreError } from '@dowel/installation-store';
import { Secret } from '@dowel/schema';

const keyId = '00000000';

export function createReadableKeyring(): Keyring {
  // No check looks at marks.
  const { authenticate, isAuthentic } = createKeyring(randomBytes(32));
  return {
    authenticate,
    isAuthentic,
    activeKeyId: () => keyId,
    keyIds: () => [keyId],
    has: (id) => id === keyId,

    encrypt: (secret, place) => `${keyId}.${JSON.stringify([place, secret.reveal()])}`,

    decrypt(ciphertext, place) {
      const [sealedAt, secret] = parse(ciphertext);
      if (JSON.stringify(sealedAt) === JSON.stringify(place)) return new Secret(secret);
      throw new StoreError('SECRET_INTEGRITY', 'The value was moved from another place');
    },
  };
}

/** The secret in a sealed column; null when it is damaged. */
export function readSealed(ciphertext: string): string | null {
  return ciphertext === damaged ? null : parse(ciphertext)[1];
}

/** A value that no keyring can open. */
export const damaged = 'damaged';

function parse(ciphertext: string): [place: string[] | null, secret: string] {
  return ciphertext === damaged ? [null, ''] : JSON.parse(ciphertext.slice(keyId.length + 1));
}
