/**
 * Which issuers are welcome, and which keys may speak for each: an issuer pattern bound to a key
 * location. Without this binding, one listed key owner could sign for another's tenants (RFC 8725 §3.8).
 * URLs are compared after parsing, never as substrings.
 */

export interface TrustRule {
  /** Origin of the tenant's URL (`iss`): exact, or with a leading `*.` for its sub-domains. */
  issuer: { scheme: string; host: string; includesSubdomains: boolean } | '*';
  /** The key documents that may sign for it: origin and path prefix ending in a slash. */
  keys: { origin: string; pathPrefix: string };
}

/**
 * Reads rules of the form `<issuer>=<key location>`, separated by commas or white space:
 * `https://*.example.com=https://certificates.plugins.coyoapp.com/`.
 *
 * @throws TypeError that names the rule and how to mend it.
 */
export function parseTrustRules(text: string): TrustRule[] {
  return text
    .split(/[\s,]+/)
    .filter((rule) => rule !== '')
    .map(parseTrustRule);
}

/** Whether any rule welcomes this `iss`. */
export function isTrustedIssuer(rules: readonly TrustRule[], issuer: string): boolean {
  return rules.some((rule) => issuerMatches(rule, issuer));
}

export function issuerMatches(rule: TrustRule, issuer: string): boolean {
  if (rule.issuer === '*') return true;
  const url = URL.parse(issuer);
  if (!url || url.username || url.password || url.protocol !== rule.issuer.scheme) return false;
  return rule.issuer.includesSubdomains
    ? url.host.endsWith(`.${rule.issuer.host}`)
    : url.host === rule.issuer.host;
}

/** Whether `jku` is a key location of this rule, in its one canonical spelling. */
export function keyLocationMatches(rule: TrustRule, jku: string): boolean {
  const url = URL.parse(jku);
  return (
    url !== null &&
    url.href === jku &&
    url.origin === rule.keys.origin &&
    url.pathname.startsWith(rule.keys.pathPrefix) &&
    /^[A-Za-z0-9._~/-]+$/.test(url.pathname) &&
    !url.username &&
    !url.password &&
    !url.search &&
    !url.hash
  );
}

function parseTrustRule(text: string): TrustRule {
  const [issuer, keys, ...rest] = text.split('=');
  const keyUrl = URL.parse(keys ?? '');
  if (!issuer || !keyUrl || rest.length > 0) {
    throw new TypeError(
      `"${text}" is not of the form <issuer origin>=<key location>, for example https://*.example.com=https://keys.example.com/`,
    );
  }
  if (
    !isSecure(keyUrl) ||
    !keyUrl.pathname.endsWith('/') ||
    keyUrl.href !== new URL(keyUrl.pathname, keyUrl.origin).href
  ) {
    throw new TypeError(
      `The key location "${keys}" must be an https URL (http only on localhost) that ends in a slash`,
    );
  }
  return {
    issuer: issuer === '*' ? '*' : parseIssuer(issuer),
    keys: { origin: keyUrl.origin, pathPrefix: keyUrl.pathname },
  };
}

function parseIssuer(text: string) {
  const includesSubdomains = text.includes('://*.');
  const url = URL.parse(text.replace('://*.', '://'));
  if (!url || !isSecure(url) || url.pathname !== '/' || url.search || url.hash || url.username) {
    throw new TypeError(
      `The issuer "${text}" must be an https origin (http only on localhost), such as https://acme.example.com or https://*.example.com`,
    );
  }
  return { scheme: url.protocol, host: url.host, includesSubdomains };
}

function isSecure(url: URL): boolean {
  const isLoopback = url.hostname === 'localhost' || url.hostname === '127.0.0.1';
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback);
}
