/**
 * The one-time code of a link to sign in or for a password. It is in the fragment, which servers and logs do not
 * see, and is removed from the address bar when it is read.
 */
export function takeFragmentCode({ location, history }: Window): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const code = fragment.get('code');
  if (code === null) return undefined;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return code.trim() === '' ? undefined : code.trim();
}
