/** A back end on another machine is judged only for its owner. */
import { DoctorError } from './doctor-error.ts';

/** Whether the URL can only lead to this machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** @throws DoctorError `OPTION_INVALID` if it is no http(s) URL, `NOT_OURS` */
export function requireOwnTarget(manifestUrl: string, isOwn: boolean): void {
  const protocol = URL.parse(manifestUrl)?.protocol ?? '';
  if (!['http:', 'https:'].includes(protocol)) {
    throw new DoctorError('OPTION_INVALID', 'The URL of the manifest must be an http(s) URL.');
  }
  if (isOwn || isLoopback(manifestUrl)) return;
  const { host } = new URL(manifestUrl);
  throw new DoctorError(
    'NOT_OURS',
    `${host} is not this machine. The run installs some 80 plug-ins there and sends forged events. Add --i-own-this if it is yours.`,
  );
}
