/** The first group of the UUID, which distinguishes the tenants of one host. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
