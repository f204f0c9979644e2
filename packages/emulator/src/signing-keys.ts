/** The platform's keys: the one that signs, those before it, the next one, and one that is not the platform's. */
import type { Changes } from './changes.ts';
import { generateSigningKey, openSigningKey, type SigningKey } from './signing-key.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * - `own`: signs everything, unless a caller says otherwise.
 * - `next`: published at its own URL; `rotateKey` makes it the own key.
 * - `stranger`: never published. Its JWTs name the URL of the own key, so their signature is wrong.
 */
export type SigningKeyName = 'own' | 'next' | 'stranger';

export interface SigningKeys {
  open(name?: SigningKeyName): Promise<SigningKey>;
  /** The published key with this URL; undefined if there is none. */
  find(jku: string): Promise<SigningKey | undefined>;
  /** Makes the next key the own one. JWTs of the key before stay verifiable. */
  rotate(): Promise<void>;
}

/** Events that were signed with an older key have expired long ago. */
const maxFormerKeys = 20;

/** Keeps own and former keys in `memory`. */
export function createSigningKeys(
  memory: Pick<Snapshot, 'origin' | 'signingKeyPem' | 'formerSigningKeyPems'>,
  { changes, keyBits, keyMark }: { changes: Changes; keyBits: number; keyMark: string },
): SigningKeys {
  const openPem = (pem: string) => openSigningKey(memory.origin, pem, keyMark);
  const generate = () => generateSigningKey(memory.origin, keyBits, keyMark);
  const former = memory.formerSigningKeyPems.map(openPem);
  const keys: Partial<Record<SigningKeyName, Promise<SigningKey>>> = {};
  if (memory.signingKeyPem !== null) {
    keys.own = Promise.resolve(openPem(memory.signingKeyPem));
  } else {
    keys.own = generate().then((key) => {
      memory.signingKeyPem = key.pem;
      changes.publishState();
      return key;
    });
  }
  const open = (name: SigningKeyName = 'own') => (keys[name] ??= generate());
  return {
    async open(name = 'own') {
      const key = await open(name);
      if (name !== 'stranger') return key;
      const { jku } = (await open('own')).header;
      return { ...key, sign: (claims, changed) => key.sign(claims, { jku, ...changed }) };
    },
    async find(jku) {
      const published = [...former, await open('own'), keys.next && (await keys.next)];
      return published.find((key) => key?.header.jku === jku);
    },
    async rotate() {
      const [before, next] = await Promise.all([open('own'), open('next')]);
      keys.own = Promise.resolve(next);
      delete keys.next;
      former.push(before);
      if (former.length > maxFormerKeys) former.shift();
      memory.signingKeyPem = next.pem;
      memory.formerSigningKeyPems = former.map(({ pem }) => pem);
      changes.publishState();
    },
  };
}
