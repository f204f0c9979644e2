/** The sites that may frame a plug-in's page, as sources of a content security policy. Row G07 of docs/threats.md. */
import type { Store } from '@dowel/installation-store';
import type { TrustRule } from '@dowel/platform-jwt';
import { issuerMatches, listUuids, spellIssuer } from '@dowel/schema';

export interface FrameAncestorsContext {
  store: { installations: Pick<Store['installations'], 'listIssuersOf'> };
  trustRules: readonly TrustRule[];
}

/** More tenants than this with one instance id: all platforms may frame the page. */
const maxTenants = 4;
const maxSrcLength = 200;

/**
 * The platform asks for a page with a `src` that names its instance. The tenants that have placed it may frame it. If
 * nobody is known to have, all trusted platforms may: the instance_add event may still be under way. So they may while
 * the database does not answer.
 *
 * @param src from the page's address, so it is not trusted
 */
export async function frameAncestorsOf(
  context: FrameAncestorsContext,
  src: string | undefined,
): Promise<string[]> {
  const tenants = src ? await listTenantsOf(context, src) : [];
  if (tenants.length > 0) return tenants;
  return [...new Set(context.trustRules.map(({ issuer }) => spellIssuer(issuer)))];
}

async function listTenantsOf(
  { store, trustRules }: FrameAncestorsContext,
  src: string,
): Promise<string[]> {
  if (src.length > maxSrcLength || src.includes('\0')) return [];
  const issuers = await store.installations
    .listIssuersOf([src, ...listUuids(src)], maxTenants + 1)
    .catch(() => []);
  if (issuers.length > maxTenants) return [];
  // The rules may have changed since the installation.
  const trusted = issuers.filter((issuer) =>
    trustRules.some((rule) => issuerMatches(rule, issuer)),
  );
  return [...new Set(trusted.map((issuer) => new URL(issuer).origin))];
}
