import { randomBytes, scryptSync } from 'node:crypto';
import { Secret } from '@dowel/schema';

/** Returns what an account stores of a password. A hash of the usual cost takes half a second. */
export function hashCheaply(password: string): Secret {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 32, { N: 2 ** 10, r: 8, p: 1 });
  const encoded = [salt, hash].map((bytes) => bytes.toString('base64url'));
  return new Secret(['scrypt', 10, 8, 1, ...encoded].join('$'));
}
