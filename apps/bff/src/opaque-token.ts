import { createHash, randomBytes } from 'node:crypto';

/** A bearer that means nothing to its holder: 256 random bits. */
export function createOpaqueToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What the database keeps of it. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
