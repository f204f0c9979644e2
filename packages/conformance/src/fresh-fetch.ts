/**
 * How the doctor sends everything: with a connection for each request, because a back end may close an idle one at any
 * time. Redirects are not followed.
 */
export const freshFetch: typeof fetch = (input, init) => {
  const request = new Request(input, init);
  request.headers.set('connection', 'close');
  return fetch(request, { redirect: 'manual' });
};
