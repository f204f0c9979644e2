import { type OidcRefusal, oidcRefusalSchema } from '@dowel/admin-api';
import type { SessionEnd } from '../api/query-client.ts';

const ends: readonly SessionEnd[] = ['reading', 'acting'];

/** The query of the sign-in page. */
export interface SignInSearch {
  /** The requested page. */
  returnTo?: string | undefined;
  /** Why the sign-in at the identity provider failed. */
  refused?: OidcRefusal | undefined;
  /** The last session ended by itself, or an owner ended it. */
  ended?: SessionEnd | undefined;
}

/** Invalid values become undefined. Each key must be present: the router would pass a missing one on unchecked. */
export function parseSignInSearch(raw: Record<string, unknown>): SignInSearch {
  return {
    returnTo: typeof raw.returnTo === 'string' ? raw.returnTo : undefined,
    refused: oidcRefusalSchema.safeParse(raw.refused).data,
    ended: ends.find((each) => each === raw.ended),
  };
}

const here = 'http://dashboard.invalid';

/** Accepts an address of this dashboard; any other becomes the first page. */
export function parseReturnAddress(returnTo: string | undefined): {
  path: string;
  query: string;
} {
  const url = returnTo?.startsWith('/') ? URL.parse(returnTo, here) : null;
  if (url?.origin !== here) return { path: '/', query: '' };
  return { path: url.pathname, query: url.search };
}
