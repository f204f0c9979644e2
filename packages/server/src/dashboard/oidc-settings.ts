/** The configuration of sign-in at an identity provider. */
import { type OperatorRole, operatorRoleSchema } from '@dowel/admin-api';
import { isSecure, type Secret } from '@dowel/schema';

export interface OidcSettings {
  /** The provider's issuer identifier, at which its metadata is found (OpenID Connect Discovery §4). */
  issuer: string;
  clientId: string;
  /** Undefined: a public client, which PKCE alone protects. */
  clientSecret: Secret | undefined;
  /** The requested scopes, including `openid`, separated by blanks. */
  scope: string;
  /** The claim with an operator's roles or groups; dots lead into objects, as in `realm_access.roles`. */
  roleClaim: string;
  roles: readonly RoleRule[];
}

/** An operator with this value in the claim gets this role. */
export interface RoleRule {
  role: OperatorRole;
  value: string;
}

/** @throws TypeError whose message says what an issuer must be */
export function parseOidcIssuer(text: string): string {
  const url = URL.parse(text);
  if (!url || !isSecure(url) || url.search || url.hash || url.username || url.password) {
    throw new TypeError(
      'must be the https URL that the provider names as its issuer, such as https://login.example.com/realms/staff',
    );
  }
  return text;
}

/** @throws TypeError whose message says what rules must be */
export function parseRoleRules(text: string): RoleRule[] {
  return text.split(',').map((entry) => {
    const [name = '', ...rest] = entry.trim().split('=');
    const role = operatorRoleSchema.safeParse(name);
    const value = rest.join('=').trim();
    if (!role.success || value === '') {
      throw new TypeError(
        'must be role=value separated by commas, such as owner=dowel-owners,operator=support,viewer=staff; roles are viewer, operator and owner',
      );
    }
    return { role: role.data, value };
  });
}

/** The highest role that the claims give. Undefined: none. */
export function chooseRole(
  { roleClaim, roles }: Pick<OidcSettings, 'roleClaim' | 'roles'>,
  claims: Record<string, unknown>,
): OperatorRole | undefined {
  const found = readClaim(claims, roleClaim);
  const values = Array.isArray(found) ? (found as unknown[]) : [found];
  const given = new Set(
    roles.filter(({ value }) => values.includes(value)).map(({ role }) => role),
  );
  // The schema lists the roles from the lowest to the highest.
  return operatorRoleSchema.options.findLast((role) => given.has(role));
}

/** A claim's own name may have dots, as URLs do. */
function readClaim(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((found, part) => {
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, part);
    return isThere ? (found as Record<string, unknown>)[part] : undefined;
  }, claims);
}
