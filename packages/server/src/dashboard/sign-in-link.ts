import type { SignInCode } from './admin-sign-in.ts';

/** A link that signs an operator in, once. */
export interface SignInLink {
  url: string;
  /** Such as `2026-01-31 23:59 UTC`. */
  until: string;
}

/** @param publicUrl without a slash at its end */
export function linkOf(publicUrl: string, { code, expiresAt }: SignInCode): SignInLink {
  const until = `${new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return { url: `${publicUrl}/admin/sign-in#code=${code}`, until };
}
