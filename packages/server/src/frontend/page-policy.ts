/** The content security policy of a plug-in's page. */
import { sandboxFlags } from '../request/page-sandbox.ts';

export interface PageSources {
  /** The origin of the page's files. */
  origin: string;
  /** Origins of the key documents that the adapter may load. */
  keyOrigins: readonly string[];
  /** The sites that may frame the page. None: nobody may. */
  frameAncestors: readonly string[];
  /** Digests of inline scripts that may run, such as `sha256-…`. Default: none. */
  scriptHashes?: readonly string[] | undefined;
  /** Inline styles with this nonce apply. Default: none do. */
  styleNonce?: string | undefined;
  /** Further addresses that scripts may reach. Default: none. */
  connect?: readonly string[] | undefined;
  /** Whether the page's origin is opaque. Default `true`. */
  sandbox?: boolean | undefined;
}

/**
 * Returns the value of the header `Content-Security-Policy` of a plug-in's page. The platform frames the page without
 * allow-same-origin: its origin is opaque, so 'self' matches nothing and the origin is written out.
 *
 * @example
 * const policy = pagePolicy({ origin, keyOrigins: [platform], frameAncestors: [platform] });
 */
export function pagePolicy(options: PageSources): string {
  const {
    origin,
    keyOrigins,
    frameAncestors,
    scriptHashes = [],
    styleNonce,
    connect = [],
  } = options;
  const directives: Record<string, readonly string[]> = {
    'default-src': ["'none'"],
    'script-src': [origin, ...scriptHashes.map((hash) => `'${hash}'`)],
    'style-src': [origin, ...(styleNonce === undefined ? [] : [`'nonce-${styleNonce}'`])],
    'img-src': [origin, 'data:'],
    'font-src': [origin, 'data:'],
    'connect-src': [origin, ...keyOrigins, ...connect],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    ...(options.sandbox !== false && { sandbox: sandboxFlags }),
    'frame-ancestors': frameAncestors.length > 0 ? frameAncestors : ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join(';');
}
