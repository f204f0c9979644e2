/** Problems and warnings about the URLs of a manifest. A URL that the platform cannot use is a problem. */
import { lifecycleEventNames } from '../lifecycle-events.ts';
import { isLoopback, resolveUrl } from '../urls.ts';
import type { Manifest } from './manifest.ts';
import type { Finding, ManifestProblemCode, ManifestWarningCode } from './manifest-problem.ts';

interface NamedUrl {
  path: (string | number)[];
  url: string;
  /** The name of an event is appended to it. */
  isBase?: true;
}

/** The problem of a URL that {@link resolveUrl} refuses. */
export const urlInvalid = {
  code: 'URL_INVALID',
  message: 'This is not an http(s) URL without a user name.',
  fix: 'Write a path such as "plugin/", or a URL such as "https://plugin.example.com/".',
} as const;

/** Texts that look like URLs but are invalid: a port of 70000, a host with a blank. */
export function findBadUrls(
  manifest: Partial<Manifest>,
  manifestUrl: string,
): Finding<ManifestProblemCode>[] {
  return urlsOf(manifest).flatMap(({ path, url }) =>
    resolves(url, manifestUrl) ? [] : { path, ...urlInvalid },
  );
}

export function lintUrls(
  manifest: Partial<Manifest>,
  manifestUrl: string,
): Finding<ManifestWarningCode>[] {
  return urlsOf(manifest).flatMap((named) => {
    if (!resolves(named.url, manifestUrl)) return [];
    const resolved = resolveUrl(named.url, manifestUrl);
    const explanations = [
      ...lintOrigin(named.url, resolved, new URL(manifestUrl)),
      ...(named.isBase ? lintBase(resolved) : []),
    ];
    return explanations.map((each) => ({ path: named.path, ...each }));
  });
}

type Warning = Omit<Finding<ManifestWarningCode>, 'path'>;

function lintOrigin(url: string, resolved: URL, manifestUrl: URL): Warning[] {
  const warnings: Warning[] = [];
  if (/^http:/i.test(url) && !isLoopback(resolved)) {
    warnings.push({
      code: 'URL_INSECURE',
      message: 'Others on the network can read and change what is sent over http.',
      fix: 'Write https.',
    });
  }
  if (resolved.origin !== manifestUrl.origin) {
    warnings.push({
      code: 'URL_FOREIGN_ORIGIN',
      message: `This leaves the manifest's origin ${manifestUrl.origin}.`,
      fix: 'Write a relative URL, unless you mean another server.',
    });
  }
  return warnings;
}

function lintBase(resolved: URL): Warning[] {
  const warnings: Warning[] = [];
  const last = resolved.pathname.split('/').findLast((segment) => segment !== '');
  const event = lifecycleEventNames.find((name) => name === last);
  if (event) {
    warnings.push({
      code: 'BASE_URL_ENDS_IN_EVENT',
      message: `The platform appends the event's name: it would call …/${event}/${event}.`,
      fix: `Remove "${event}" from the URL.`,
    });
  } else if (!resolved.pathname.endsWith('/')) {
    warnings.push({
      code: 'BASE_URL_WITHOUT_SLASH',
      message: "The event's name is appended to this URL, which does not end in a slash.",
      fix: 'Add "/" to its end.',
    });
  }
  if (/[?#]/.test(resolved.href)) {
    warnings.push({
      code: 'BASE_URL_WITH_QUERY',
      message: "The event's name is appended to this URL, which has a query or fragment.",
      fix: 'Remove everything from "?" or "#" on.',
    });
  }
  return warnings;
}

function urlsOf({ thumbnail, lifecycle, apiAccess, entryPoints }: Partial<Manifest>): NamedUrl[] {
  const urls: NamedUrl[] = [];
  const add = (url: string | undefined, path: NamedUrl['path'], isBase?: true) => {
    if (url !== undefined) urls.push({ url, path, ...(isBase && { isBase }) });
  };
  add(thumbnail, ['thumbnail']);
  add(lifecycle?.url, ['lifecycle', 'url'], true);
  add(apiAccess?.url, ['apiAccess', 'url'], true);
  for (const [index, { url, configUrl }] of (entryPoints ?? []).entries()) {
    add(url, ['entryPoints', index, 'url']);
    add(configUrl, ['entryPoints', index, 'configUrl']);
  }
  return urls;
}

export function resolves(url: string, manifestUrl: string): boolean {
  try {
    return resolveUrl(url, manifestUrl) instanceof URL;
  } catch {
    return false;
  }
}
