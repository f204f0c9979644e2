/** The text of a manifest, from a file or a URL, with limits of size and time. */
import { readFile } from 'node:fs/promises';
import { BodyTooLargeError, explainFetchFailure, readBounded } from '@dowel/http';
import { type ManifestProblem, resolveUrl } from '@dowel/schema';
import { describeFileError } from '@dowel/settings';
import { MisuseError } from './command.ts';

/** Only for this process: `parseManifest` knows how long a manifest may be. */
const maxMebibytes = 4;

type Redirect = Omit<ManifestProblem, 'code'> & { code: 'MANIFEST_REDIRECTED' };

export interface ManifestSource {
  /** A path, or a URL without its query, which may hold a secret. */
  name: string;
  text: string;
  /** Where it was fetched. Undefined: it is a file. */
  url?: string;
  /** A redirect came in place of the text. */
  redirect?: Redirect;
}

/**
 * Reads a file or an http(s) URL, also one of this machine.
 *
 * @param timeoutMs the time until the whole answer has arrived.
 * @throws MisuseError that says why it cannot be read
 */
export async function readManifestSource(
  source: string,
  timeoutMs = 10_000,
): Promise<ManifestSource> {
  if (/^https?:/i.test(source)) return fetchManifest(source, timeoutMs);
  try {
    return { name: source, text: decode(await readFile(source)) };
  } catch (error) {
    throw unreadable(source, describeFileError(error));
  }
}

async function fetchManifest(source: string, timeoutMs: number): Promise<ManifestSource> {
  const url = parseUrl(source);
  const name = shownUrl(url);
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const refusal = describeRefusal(response);
    if (refusal !== undefined) await response.body?.cancel();
    if (response.status >= 300 && response.status < 400) {
      return { name, text: '', url: url.href, redirect: explainRedirect(response, url) };
    }
    if (refusal !== undefined) throw new Error(refusal);
    const bytes = await readBounded(response.body, maxMebibytes * 1024 * 1024);
    return { name, text: decode(bytes), url: url.href };
  } catch (error) {
    const isTooLarge = error instanceof BodyTooLargeError;
    throw unreadable(
      name,
      isTooLarge ? `it is longer than ${maxMebibytes} MiB` : explainFetchFailure(error),
    );
  }
}

function parseUrl(source: string): URL {
  try {
    return resolveUrl(source, source);
  } catch {
    throw new MisuseError('The URL must be an http(s) URL without a user name.');
  }
}

function shownUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function unreadable(name: string, reason: string): MisuseError {
  return new MisuseError(`${name} cannot be read: ${reason}.`);
}

/** A development server may answer with its page for any path. Undefined: the answer may be a manifest. */
function describeRefusal({ ok, status, headers }: Response): string | undefined {
  if (!ok) return `it answers with status ${status}`;
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  return /html/i.test(type) ? `it answers with a page (${type}), not with JSON` : undefined;
}

/** Not followed: relative URLs begin at the manifest's own URL, so a platform may refuse it. */
function explainRedirect({ status, headers }: Response, url: URL): Redirect {
  const target = URL.parse(headers.get('location') ?? '', url.href);
  return {
    code: 'MANIFEST_REDIRECTED',
    pointer: '',
    line: 1,
    column: 1,
    message: `The URL answers with a redirect (${status})${target ? ` to ${shownUrl(target)}` : ''}.`,
    fix: 'Answer with the manifest itself, or use the URL where it is.',
  };
}

/** Keeps a byte order mark, which is a problem of the manifest. @throws Error */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error('it is not UTF-8 text');
  }
}
