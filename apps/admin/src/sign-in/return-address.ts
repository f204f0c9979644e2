const here = 'http://dashboard.invalid';

/** An address of this dashboard as the router takes it; anything else leads to the first page. */
export function parseReturnAddress(returnTo: string | undefined): {
  path: string;
  query: string;
} {
  const url = returnTo?.startsWith('/') ? URL.parse(returnTo, here) : null;
  if (url?.origin !== here) return { path: '/', query: '' };
  return { path: url.pathname, query: url.search };
}
