import type { NewDelivery } from '@dowel/installation-store';
import { hostOfClaims, readUnverifiedClaims } from '@dowel/platform-jwt';
import { canonicalIssuer, uuid } from '@dowel/schema';
import { describeClaims } from './describe-claims.ts';

type DescribedJwt = Pick<NewDelivery, 'key' | 'host' | 'isVerified' | 'claims'>;

/**
 * Returns what the list of deliveries keeps of a JWT: the host of its issuer, its claims without secrets, and the
 * installation that it names.
 *
 * @param jwt '' or any text, if it is none that can be read.
 * @param isSigned its signature was verified. Otherwise it belongs to no installation, whatever it names.
 */
export function describeJwt(jwt: string, isSigned: boolean): DescribedJwt {
  const claims = readUnverifiedClaims(jwt);
  return {
    key: isSigned && claims ? keyOf(claims) : null,
    host: hostOfClaims(claims),
    isVerified: isSigned,
    claims: claims ? describeClaims(claims) : null,
  };
}

function keyOf({ iss, tenantId, pluginId }: Record<string, unknown>): NewDelivery['key'] {
  const issuer = typeof iss === 'string' ? canonicalIssuer(iss) : undefined;
  const [tenant, plugin] = [uuid.safeParse(tenantId).data, uuid.safeParse(pluginId).data];
  return issuer && tenant && plugin ? { issuer, tenantId: tenant, pluginId: plugin } : null;
}
