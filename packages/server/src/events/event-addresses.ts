/**
 * The addresses to which the platform posts its events (Spec §2.1, §4.1), as URLs that the platform
 * calls and as paths that arrive here. They are served where the manifest says, so the two cannot differ. All event
 * names are served, because an installation may be older than a change of `lifecycle.events`. Paths are compared as
 * text, with and without a slash at each joint; `%2F` is not a slash.
 */
import {
  eventUrl,
  type LifecycleEventName,
  lifecycleEventNames,
  resolveUrl,
  type ServedManifest,
} from '@dowel/schema';

export interface EventAddress {
  event: LifecycleEventName;
  /** The manifest's value, resolved against the manifest's own URL. */
  url: URL;
}

export interface EventPaths {
  /** The event that is posted to this path. */
  find(path: string): LifecycleEventName | undefined;
  /** Every spelling of every address. */
  list(): string[];
  /** Whether the platform calls this path. Its errors, including 404, then have the platform's form. */
  isNear(path: string): boolean;
}

/** All events for which the manifest has an address, including events that it does not request. */
export function listEventAddresses(
  { lifecycle, apiAccess }: Pick<ServedManifest, 'lifecycle' | 'apiAccess'>,
  publicUrl: string,
): EventAddress[] {
  return lifecycleEventNames.flatMap((event) => {
    const base = event === 'access_token' ? apiAccess?.url : lifecycle?.url;
    if (base === undefined) return [];
    return { event, url: eventUrl(resolveUrl(base, `${publicUrl}/manifest.json`), event) };
  });
}

/**
 * The paths of the addresses. The platform may join base and name with or without a slash, whether or
 * not the base ends in one.
 *
 * @param options `eventPath`: the path to which a proxy sends all events instead of the manifest's paths, with or
 *   without the base path. `basePath`: the path of the public URL, which is taken off before a path is looked up.
 */
export function createEventPaths(
  addresses: readonly EventAddress[],
  { eventPath, basePath = '' }: { eventPath?: string | undefined; basePath?: string } = {},
): EventPaths {
  const events = new Map<string, LifecycleEventName>();
  const folders = new Set<string>();
  for (const { event, url } of addresses) {
    const arriving = eventPath ?? url.pathname.slice(0, -event.length);
    const below = arriving.startsWith(`${basePath}/`) ? arriving.slice(basePath.length) : arriving;
    const base = below.replace(/(?<!\/)\/+$/, '');
    for (const joint of ['/', '//', '']) events.set(readable(`${base}${joint}${event}`), event);
    if (base !== '') folders.add(readable(`${base}/`));
  }
  return {
    list: () => [...events.keys()],
    find: (path) => events.get(readable(path.replace(/\/$/, ''))),
    isNear(path) {
      const text = readable(path);
      return events.has(text) || [...folders].some((folder) => text.startsWith(folder));
    },
  };
}

/** Two spellings of one path, such as %c3 and %C3, are one; %2F stays what it is. */
function readable(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The addresses that cannot arrive: they are not below our public URL. */
export function listForeignAddresses(
  addresses: readonly EventAddress[],
  publicUrl: string,
): EventAddress[] {
  return addresses.filter(({ url }) => !url.href.startsWith(`${publicUrl}/`));
}
