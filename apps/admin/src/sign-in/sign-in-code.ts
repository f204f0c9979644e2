/**
 * The one-time code of the link that is printed where Dowel was started. It travels in the fragment,
 * which no server sees and no log keeps, and leaves the address bar as soon as it is read.
 */
export function takeSignInCode({ location, history }: Window): string | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const code = fragment.get('code');
  if (code === null) return undefined;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return code.trim() === '' ? undefined : code.trim();
}
