/** Moduli that no correct generator creates. */
import { checkPrimeSync, randomInt } from 'node:crypto';

export function encodeInteger(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
}

/**
 * A modulus as the generator of CVE-2017-15361 makes them: both primes are k·M + 65537^a mod M, where
 * M is the product of the first 126 primes.
 */
export function createRocaModulus(): bigint {
  const product = firstPrimes(126).reduce((left, right) => left * right, 1n);
  return createRocaPrime(product) * createRocaPrime(product);
}

function createRocaPrime(product: bigint): bigint {
  for (;;) {
    // So that the prime has its top bit set, and the product of two has 2048 bits.
    const lowest = (3n << 1022n) / product;
    const k = lowest + BigInt(randomInt(2 ** 40));
    const candidate = k * product + modularPower(65_537n, BigInt(randomInt(2 ** 40)), product);
    if (checkPrimeSync(candidate)) return candidate;
  }
}

function firstPrimes(count: number): bigint[] {
  const primes: bigint[] = [];
  for (let candidate = 2n; primes.length < count; candidate += 1n) {
    if (primes.every((prime) => candidate % prime !== 0n)) primes.push(candidate);
  }
  return primes;
}

function modularPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let square = base % modulus, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}
