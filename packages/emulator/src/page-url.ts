import { resolveUrl } from '@dowel/schema';

/** The URL of a page of a placed widget: resolved as in Spec §2.1, with `?src=<instanceId>`. */
export function pageUrl(url: string, manifestUrl: string, instanceId: string): string {
  const resolved = resolveUrl(url, manifestUrl);
  resolved.searchParams.set('src', instanceId);
  return resolved.href;
}
