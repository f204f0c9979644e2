/**
 * The headers of every answer, including those that Node sends without Koa. They forbid caching, type
 * sniffing, framing and referrers. Pages override some of them.
 */

const bareHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** One year. Subdomains are left out: others may own them. */
const onlyHttps = { 'Strict-Transport-Security': 'max-age=31536000' } as const;

/** @param publicUrl the origin that browsers see. HSTS is sent only if it is https. */
export function createAnswerHeaders(publicUrl: string): Record<string, string> {
  return publicUrl.startsWith('https:') ? { ...bareHeaders, ...onlyHttps } : { ...bareHeaders };
}
