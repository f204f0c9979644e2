import { createHash } from 'node:crypto';
import { resolveUrl } from '@dowel/schema';
import type { WireForms } from './control-api.ts';

/** The widget that a page belongs to. */
export interface PagePlace {
  tenantId: string;
  pluginId: string;
  instanceId: string;
}

/** The URL of a page of a placed widget: resolved as in Spec §2.1, with `?src=`. */
export function pageUrl(url: string, manifestUrl: string, src: string): string {
  const resolved = resolveUrl(url, manifestUrl);
  resolved.searchParams.set('src', src);
  return resolved.href;
}

const opaqueLength = 22;

/** The `src` of a widget's pages, in the form of the tenant. */
export function srcOf(
  form: WireForms['src'],
  { tenantId, pluginId, instanceId }: PagePlace,
): string {
  switch (form) {
    case 'composed':
      return `${tenantId}_${instanceId}`;
    case 'plugin-id':
      return `${tenantId}_${pluginId}`;
    case 'opaque':
      return createHash('sha256').update(instanceId).digest('base64url').slice(0, opaqueLength);
    case 'instance':
      return instanceId;
  }
}
