/**
 * The scopes of a token answer (Spec §2.3). They are stored in clear, shown and logged, so nothing gets
 * through that is no scope, and nothing that holds a secret of this installation. The scopes that were
 * asked for are no secret: the manifest names them, and without one of them a code would be spent for
 * nothing.
 */
import { type Secret, splitScope } from '@dowel/schema';

/** RFC 6749 §3.3, `scope-token`, of a length that a name may have. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/;
const maxScopes = 50;
/** Shorter secrets are parts of words: they are compared as a whole. */
const minSecretLength = 8;
/** A piece of a secret this long is as good as the secret. */
const minPieceLength = 16;

/**
 * Splits the wire's `scope`. What is dropped counts as not granted; the answer is not refused for it,
 * because its tokens would be lost.
 *
 * @param secrets all that the platform could repeat: of the event, the request and the answer
 * @param requested these are kept, whatever the secrets look like, and come first
 */
export function readGrantedScopes(
  scope: string,
  secrets: readonly Secret[],
  requested: readonly string[],
): string[] {
  const named = splitScope(scope).filter((each) => requested.includes(each));
  const texts = secrets.map((secret) => secret.reveal());
  let text = scope;
  for (const secret of texts) {
    if (secret.length >= minSecretLength) text = text.replaceAll(secret, ' ');
  }
  const scopes = splitScope(text).filter(
    (each) => scopeToken.test(each) && !texts.some((secret) => isPartOf(secret, each)),
  );
  return [...new Set([...named, ...scopes])].slice(0, maxScopes);
}

function isPartOf(secret: string, scope: string): boolean {
  return scope === secret || (scope.length >= minPieceLength && secret.includes(scope));
}
