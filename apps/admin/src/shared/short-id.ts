/** The first group of the UUID: enough to tell the tenants of one host apart. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
