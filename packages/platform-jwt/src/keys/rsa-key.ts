/**
 * Which RSA keys are strong enough. A key host is trusted to sign for its tenants, but not
 * to avoid weak keys (RFC 8725 §3.2, §3.5; NIST SP 800-131A: 2048 bits).
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { RsaJwk } from '@dowel/schema';
import { PlatformJwtError } from '../errors.ts';
import { decodeBase64url } from '../jws/base64url.ts';

const minModulusBits = 2048;
const maxModulusBits = 8192;
const minExponent = 65_537n;
const maxExponent = 2n ** 32n;

/** Secret members of RSA, other asymmetric and symmetric keys (RFC 7518 §6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Whether a JWK contains secret members. A document with them was published by mistake. */
export function isSecretJwk(jwk: object): boolean {
  return privateMembers.some((member) => Object.hasOwn(jwk, member));
}

/** @throws PlatformJwtError `key_not_acceptable` */
export function importRsaJwk(jwk: RsaJwk): KeyObject {
  if (
    // control A08
    isSecretJwk(jwk) ||
    !isForVerifying(jwk) ||
    !isStrong(readInteger(jwk.n), readInteger(jwk.e))
  ) {
    throw new PlatformJwtError('key_not_acceptable');
  }
  const { kty, n, e } = jwk;
  try {
    return createPublicKey({ key: { kty, n, e }, format: 'jwk' });
  } catch (cause) {
    throw new PlatformJwtError('key_not_acceptable', { cause });
  }
}

/** RFC 7517 §4.2, §4.3: the use that the key's owner states. */
export function isForVerifying({ use = 'sig', key_ops: operations = ['verify'] }: RsaJwk): boolean {
  return use === 'sig' && operations.includes('verify');
}

function readInteger(text: string): bigint {
  const bytes = decodeBase64url(text);
  if (!bytes || bytes.length === 0) throw new PlatformJwtError('key_not_acceptable');
  return BigInt(`0x${bytes.toString('hex')}`);
}

function isStrong(modulus: bigint, exponent: bigint): boolean {
  const bits = modulus.toString(2).length;
  return (
    bits >= minModulusBits &&
    bits <= maxModulusBits &&
    modulus % 2n === 1n &&
    exponent >= minExponent &&
    exponent <= maxExponent &&
    exponent % 2n === 1n &&
    !hasRocaFingerprint(modulus)
  );
}

/**
 * ROCA (CVE-2017-15361): the flawed generator's primes are powers of 65537 modulo every small prime,
 * so its moduli are, too. About one of 2^27 good keys looks the same by chance.
 */
function hasRocaFingerprint(modulus: bigint): boolean {
  return smallOddPrimes(167).every((prime) => {
    const residue = Number(modulus % BigInt(prime));
    let power = 1;
    do {
      if (power === residue) return true;
      power = (power * 65_537) % prime;
    } while (power !== 1);
    return false;
  });
}

function smallOddPrimes(limit: number): number[] {
  const primes: number[] = [];
  for (let candidate = 3; candidate <= limit; candidate += 2) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}
