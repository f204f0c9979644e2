/**
 * Where the API of an issuer's tenants may be: at the issuer's own origin, and at those that the setting
 * DOWEL_API_ORIGINS names. Client secrets and tokens are sent there, so a rule names hosts of one domain, never
 * all hosts.
 */
import {
  type IssuerPattern,
  issuerMatches,
  parseIssuerPattern,
  spellIssuer,
} from './issuer-pattern.ts';
import { isSecure } from './urls.ts';

export interface ApiOriginRule {
  issuer: IssuerPattern;
  /** The origin of a `base_url`: exact, or with a leading `*.` that stands for one label. */
  origin: { scheme: string; host: string; includesSubdomains: boolean };
}

/** At least two labels, the last of them no number: `*.com` would be anybody's host, and an address has no sub-domains. */
const domain = /^(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]*(?::\d+)?$/;

/**
 * Reads rules of the form `<issuer>=<origin of base_url>`, separated by commas or white space. Several rules may name
 * one issuer.
 *
 * @example
 * const apiOrigins = parseApiOrigins('https://*.example.com=https://api.example.com');
 *
 * @throws TypeError that names the rule and says how to fix it.
 */
export function parseApiOrigins(text: string): ApiOriginRule[] {
  return text
    .split(/[\s,]+/)
    .filter((rule) => rule !== '')
    .map(parseRule);
}

function parseRule(text: string): ApiOriginRule {
  const [issuer, origin, ...rest] = text.split('=');
  if (!issuer || !origin || rest.length > 0) {
    throw new TypeError(
      `"${text}" is not of the form <issuer origin>=<origin of base_url>, for example https://*.example.com=https://api.example.com`,
    );
  }
  return { issuer: parseIssuerPattern(issuer), origin: parseOrigin(origin) };
}

function parseOrigin(text: string): ApiOriginRule['origin'] {
  const includesSubdomains = text.includes('://*.');
  const url = URL.parse(text.replace('://*.', '://'));
  const isOrigin = url && url.href === `${url.origin}/` && !url.host.includes('*') && isSecure(url);
  if (!isOrigin || (includesSubdomains && !domain.test(url.host))) {
    throw new TypeError(
      `The origin "${text}" must be an https origin (http only on localhost), such as https://api.example.com, or https://*.example.com for every host with one more label`,
    );
  }
  return { scheme: url.protocol, host: url.host, includesSubdomains };
}

/** Whether secrets of the issuer's tenants may be sent to this URL: to its own origin, or by a rule. */
export function isApiOrigin(
  rules: readonly ApiOriginRule[],
  { issuer, url }: { issuer: string; url: URL },
): boolean {
  if (url.origin === URL.parse(issuer)?.origin) return true;
  return rules.some((rule) => issuerMatches(rule, issuer) && originMatches(rule, url));
}

/** Whether a rule names the origin of this URL, for any issuer. */
function originMatches({ origin }: Pick<ApiOriginRule, 'origin'>, url: URL): boolean {
  if (url.protocol !== origin.scheme) return false;
  if (!origin.includesSubdomains) return url.host === origin.host;
  const label = url.host.slice(0, -origin.host.length);
  return url.host.endsWith(origin.host) && /^[a-z0-9_-]+\.$/.test(label);
}

/** The rules as they are configured. */
export function describeApiOrigins(rules: readonly ApiOriginRule[]): string[] {
  return rules.map(({ issuer, origin }) => `${spellIssuer(issuer)}=${spellIssuer(origin)}`);
}

/**
 * The value of DOWEL_API_ORIGINS that also allows this `base_url`. Undefined: none can, because it is no https URL.
 *
 * @param issuer in its canonical spelling
 */
export function withApiOrigin(
  rules: readonly ApiOriginRule[],
  { issuer, url }: { issuer: string; url: URL },
): string | undefined {
  if (!isSecure(url)) return undefined;
  return [...describeApiOrigins(rules), `${new URL(issuer).origin}=${url.origin}`].join(',');
}
