import { hash, randomBytes } from 'node:crypto';

/** An opaque bearer token: 256 random bits. */
export function createOpaqueToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The hash that the database stores. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}
