/**
 * The scopes of a token answer (Spec §2.3). They are stored unencrypted, shown and logged, so only valid
 * scopes without a secret of this installation are kept. Requested scopes are not secret: the manifest names
 * them, and if one were dropped, the tokens could be refused.
 */
import { type Secret, splitScope } from '@dowel/schema';

/** A `scope-token` of RFC 6749 §3.3, with a limited length. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/;
const maxScopes = 50;
/** Shorter secrets may occur in ordinary words, so they are compared as a whole. */
const minSecretLength = 8;
/** A part of a secret with this length counts as the secret. */
const minPieceLength = 16;

/**
 * Splits the wire's `scope`, also at commas, which are no part of a requested scope. Dropped scopes count as not granted. The answer is not refused, because its
 * tokens would be lost.
 *
 * @param secrets all secrets that the platform could repeat: of the event, the request and the answer
 * @param requested these are always kept, and come first
 */
export function readGrantedScopes(
  scope: string,
  secrets: readonly Secret[],
  requested: readonly string[],
): string[] {
  const split = (name: string) => (requested.includes(name) ? [name] : name.split(','));
  const named = splitScope(scope)
    .flatMap(split)
    .filter((each) => requested.includes(each));
  const texts = secrets.map((secret) => secret.reveal());
  let text = scope;
  for (const secret of texts) {
    if (secret.length >= minSecretLength) text = text.replaceAll(secret, ' ');
  }
  const isHarmless = (each: string) => !texts.some((secret) => isPartOf(secret, each));
  const scopes = splitScope(text)
    // Before it is split: a short secret may have a comma.
    .filter(isHarmless)
    .flatMap(split)
    .filter((each) => scopeToken.test(each) && isHarmless(each));
  return [...new Set([...named, ...scopes])].slice(0, maxScopes);
}

function isPartOf(secret: string, scope: string): boolean {
  return scope === secret || (scope.length >= minPieceLength && secret.includes(scope));
}
