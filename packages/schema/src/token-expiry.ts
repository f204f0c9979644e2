/** When an access token counts as expired: a little before its end, so that a call does not meet the end (Spec §8). */

/** The usual margin. */
export const expiryMarginMs = 10_000;

/** From then on a call renews the token: the margin before its end, but not before half of its life. Epoch milliseconds. */
export function renewsFrom(
  { issuedAt, expiresAt }: { issuedAt: number; expiresAt: number },
  marginMs = expiryMarginMs,
): number {
  return expiresAt - Math.min(marginMs, Math.max(0, (expiresAt - issuedAt) / 2));
}
