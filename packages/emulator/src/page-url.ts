import { resolveUrl } from '@dowel/schema';

/** Where a page of a placed widget is opened: resolved as Spec §2.1 says, with `?src=<instanceId>`. */
export function pageUrl(url: string, manifestUrl: string, instanceId: string): string {
  const resolved = resolveUrl(url, manifestUrl);
  resolved.searchParams.set('src', instanceId);
  return resolved.href;
}
