/**
 * How the doctor sends everything: with a connection for each request, because a back end may close an idle one at any
 * time. Redirects are not followed.
 */
export const freshFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('connection', 'close');
  return fetch(input, { ...init, headers, redirect: 'manual' });
};
