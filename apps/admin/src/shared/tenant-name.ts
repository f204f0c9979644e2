import type { InstallationSummary } from '@dowel/schema';

/** The issuer without its scheme: `acme.example.com`. */
export function readableIssuer(issuer: string): string {
  const url = URL.parse(issuer);
  if (!url?.host) return issuer;
  return url.pathname === '/' ? url.host : `${url.host}${url.pathname.replace(/\/$/, '')}`;
}

/** The first group of the UUID: enough to tell the tenants of one issuer apart. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** `acme.example.com f18ddfb6` */
export function tenantName({ issuer, tenantId }: InstallationSummary): string {
  return `${readableIssuer(issuer)} ${shortId(tenantId)}`;
}
