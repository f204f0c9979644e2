/** Rough on purpose: the back end and the platform decide. */
export function isEmail(text: string): boolean {
  const [local, domain, ...rest] = text.trim().split('@');
  return Boolean(local && domain) && rest.length === 0 && !/\s/.test(text.trim());
}
