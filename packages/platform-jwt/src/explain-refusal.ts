/** Says for the log why a JWT was refused, and what to change. The JWT is not verified, so texts of it have limits. */
import { type IssuerPattern, issuerMatches, spellIssuer } from '@dowel/schema';
import type { PlatformJwtReason } from './errors.ts';
import { originOf, readIssuerUrl } from './jws/claimed-host.ts';
import { parseCompactJws } from './jws/compact-jws.ts';
import { describeRules } from './keys/describe-trust.ts';
import type { TrustRule } from './keys/trust-rules.ts';

/** Rules in one line of a log. */
const maxRules = 5;

/** Facts of a refused JWT, for a line of the log. Hosts have at most 260 characters of `a-z0-9._:[]-`. */
export interface RefusalExplanation {
  /** What to change. It contains no value of the JWT. */
  fix: string;
  /** The origin of the issuer that the JWT names. */
  claimedIssuer?: string | undefined;
  /** The origin of the key location that the JWT names. */
  keyOrigin?: string | undefined;
  /** The issuer of a rule that differs from the claimed one only by http and https. */
  trustedIssuer?: string | undefined;
  /** The rules that were compared, as DOWEL_TRUST has them: at most five. */
  rules?: readonly string[] | undefined;
  /** How long the JWT had ended, or how far in the future it begins. */
  offBySeconds?: number | undefined;
  /** How far the clocks may differ. */
  allowedSeconds?: number | undefined;
  /** The time here, in ISO 8601. */
  clock?: string | undefined;
}

export interface RefusalContext {
  trustRules: readonly TrustRule[];
  leewayMs: number;
  /** Epoch milliseconds. */
  nowMs: number;
}

/** Undefined: the reason says it all. */
export function explainRefusal(
  jwt: string,
  reason: PlatformJwtReason,
  context: RefusalContext,
): RefusalExplanation | undefined {
  switch (reason) {
    case 'issuer_key_mismatch':
    case 'jku_not_allowed':
      return explainTrust(jwt, context);
    case 'expired':
    case 'not_yet_valid':
      return explainTime(jwt, context);
    default:
      return undefined;
  }
}

function explainTrust(jwt: string, { trustRules }: RefusalContext): RefusalExplanation | undefined {
  const { header, payload } = parseCompactJws(jwt);
  const { iss } = payload;
  const url = readIssuerUrl(iss);
  const named = trustRules.filter((rule) => typeof iss === 'string' && issuerMatches(rule, iss));
  const rules = describeRules((named.length > 0 ? named : trustRules).slice(0, maxRules));
  const facts = { claimedIssuer: url?.origin, keyOrigin: originOf(header.jku), rules };
  if (named.length > 0) {
    return {
      ...facts,
      fix: 'The rules of this issuer name other keys. If the platform signs with keys at this origin, change the rule in DOWEL_TRUST: the address of the key must begin with that of the rule.',
    };
  }
  const trustedIssuer = url && findSchemeMixUp(url, trustRules);
  if (trustedIssuer !== undefined) {
    const fix =
      'Only http and https differ. Write the issuer in DOWEL_TRUST as the platform does, or correct the address of the platform.';
    return { ...facts, trustedIssuer, fix };
  }
  return {
    ...facts,
    fix: 'No rule names this issuer. If it is your platform, add a rule for it to DOWEL_TRUST. If not, a stranger sent this, and nothing is wrong.',
  };
}

/** The issuer of a rule that differs from `url` only by http and https. The difference is easily overlooked. */
function findSchemeMixUp(
  url: URL,
  rules: readonly { issuer: IssuerPattern }[],
): string | undefined {
  const other = `${url.protocol === 'http:' ? 'https:' : 'http:'}//${url.host}`;
  const rule = rules.find((each) => issuerMatches(each, other));
  return rule && spellIssuer(rule.issuer);
}

/** The signature was verified before, and the shapes of the claims. */
function explainTime(jwt: string, { leewayMs, nowMs }: RefusalContext): RefusalExplanation {
  const { iat, exp, nbf = iat } = parseCompactJws(jwt).payload as Record<string, number>;
  const now = nowMs / 1_000;
  const offBySeconds = Math.round(
    Math.max(now - Number(exp), Math.max(Number(iat), Number(nbf)) - now),
  );
  return {
    offBySeconds,
    allowedSeconds: leewayMs / 1_000,
    clock: new Date(nowMs).toISOString(),
    fix: 'Compare the clock of this machine, and that of the platform, with the right time. If both are right, the JWT was sent too late.',
  };
}
