/**
 * Platforms that DOWEL_TRUST can name by one word: the issuers of their tenants, and where their keys are. The page's
 * drop-in for the predecessor trusts the same key hosts (packages/adapter/src/compat/plugin-adapter.ts).
 *
 * Source of `haiilo`: the platform's developer hub ("JWT token security", "API access") and its OpenAPI 1.1.0, read in
 * November 2026. Both key hosts occur in its examples, which show no common folder.
 */
export const knownPlatforms = {
  haiilo: {
    issuers: [
      'https://*.coyoapp.com',
      'https://*.haiilo.com',
      'https://*.haiilocloud.com',
      'https://*.coyocloud.com',
    ],
    keyLocations: ['https://plugins.coyoapp.com/', 'https://certificates.plugins.coyoapp.com/'],
  },
} as const;

/** Whether DOWEL_TRUST may name a platform by this word. */
export function isKnownPlatform(word: string): word is keyof typeof knownPlatforms {
  return Object.hasOwn(knownPlatforms, word);
}
