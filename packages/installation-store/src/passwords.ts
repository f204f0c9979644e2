/** Passwords of operators: scrypt with its parameters in each hash, off the main thread (F14). */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Secret } from '@dowel/schema';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

interface Parameters {
  /** log2 of the cost. */
  logN: number;
  r: number;
  p: number;
}

/** OWASP's first choice for scrypt. Takes 128 MiB and about half a second of a thread. */
const current: Parameters = { logN: 17, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;
const pattern = /^scrypt\$(\d{2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

/** Such as `scrypt$17$8$1$<salt>$<hash>`. */
export async function hashPassword(password: string): Promise<Secret> {
  const salt = randomBytes(saltBytes);
  const hash = await hashWith(current, password, salt);
  const { logN, r, p } = current;
  const encoded = [salt, hash].map((bytes) => bytes.toString('base64url'));
  return new Secret(['scrypt', logN, r, p, ...encoded].join('$'));
}

/**
 * Without a hash the work is the same, so that the duration does not reveal whether an account exists (F02).
 *
 * @returns false for a wrong password, for no hash, and for one that cannot be read.
 */
export async function verifyPassword(
  password: string,
  stored: Secret | undefined,
): Promise<boolean> {
  const [, logN, r, p, salt = '', hash = ''] = pattern.exec(stored?.reveal() ?? '') ?? [];
  if (logN === undefined) {
    await hashWith(current, password, randomBytes(saltBytes));
    return false;
  }
  const parameters = { logN: Number(logN), r: Number(r), p: Number(p) };
  const found = await hashWith(parameters, password, Buffer.from(salt, 'base64url'));
  const expected = Buffer.from(hash, 'base64url');
  return found.byteLength === expected.byteLength && timingSafeEqual(found, expected);
}

/** The same password typed on two systems may have two spellings in Unicode. */
function hashWith({ logN, r, p }: Parameters, password: string, salt: Buffer): Promise<Buffer> {
  const N = 2 ** logN;
  return derive(password.normalize('NFKC'), salt, hashBytes, { N, r, p, maxmem: 256 * N * r });
}
