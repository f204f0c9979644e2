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
