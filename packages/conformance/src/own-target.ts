/** A back end on another machine is judged only for its owner. */
import { resolveUrl } from '@dowel/schema';
import { DoctorError } from './doctor-error.ts';
import type { Target } from './world/target.ts';

/** Whether the URL can only lead to this machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** @throws DoctorError `OPTION_INVALID` if it is no http(s) URL, `NOT_OURS` */
export function requireOwnTarget(manifestUrl: string, isOwn: boolean): void {
  const url = URL.parse(manifestUrl);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new DoctorError('OPTION_INVALID', 'The URL of the manifest must be an http(s) URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new DoctorError('OPTION_INVALID', 'The URL of the manifest must have no user name.');
  }
  if (!isOwn) requireLoopback(url);
}

/** Events go where the manifest says. @throws DoctorError `NOT_OURS` */
export function requireOwnAddresses({ manifest, manifestUrl }: Target, isOwn: boolean): void {
  const { lifecycle, apiAccess, entryPoints } = manifest;
  const urls = [lifecycle?.url, apiAccess?.url, ...entryPoints.map(({ url }) => url)];
  for (const url of urls) {
    if (url !== undefined && !isOwn) requireLoopback(resolveUrl(url, manifestUrl));
  }
}

function requireLoopback({ href, host }: URL): void {
  if (isLoopback(href)) return;
  throw new DoctorError(
    'NOT_OURS',
    `${host} is not this machine. The run installs some 80 plug-ins there and sends forged events. Add --i-own-this if it is yours.`,
  );
}
