import { type Store, signInCodeLifetimeMs } from '@dowel/installation-store';

/** A link that signs an operator in, once. */
export interface SignInLink {
  url: string;
  /** The end of its validity, such as `2026-01-31 23:59 UTC`. */
  until: string;
}

export interface SignInLinkContext {
  store: { accounts: Pick<Store['accounts'], 'createSignInCode'> };
  /** Without a slash at its end. */
  adminUrl: string;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Creates the link that a start shows. */
export async function createSignInLink(context: SignInLinkContext): Promise<SignInLink> {
  const { store, adminUrl, now } = context;
  const expiresAt = now() + signInCodeLifetimeMs;
  const code = await store.accounts.createSignInCode({ name: 'start', expiresAt });
  const until = `${new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return { url: `${adminUrl}/admin/sign-in#code=${code}`, until };
}
