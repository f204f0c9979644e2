/**
 * The headers that every answer has, also where Koa never comes: an answer is not kept by caches, read
 * as another type, shown in a frame, or named to other sites. Pages put their own in their place.
 */

const bareHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** One year. Not for sub-domains: they may be others'. */
const onlyHttps = { 'Strict-Transport-Security': 'max-age=31536000' } as const;

/** @param publicUrl what browsers see; over http they may not be bound to https. */
export function createAnswerHeaders(publicUrl: string): Record<string, string> {
  return publicUrl.startsWith('https:') ? { ...bareHeaders, ...onlyHttps } : { ...bareHeaders };
}
