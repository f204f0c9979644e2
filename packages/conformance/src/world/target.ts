/** The back end under examination, as its manifest describes it. */
import { explainFetchFailure, readBounded } from '@dowel/http';
import { type Manifest, type ManifestWarning, parseManifest } from '@dowel/schema';
import { freshFetch } from '../fresh-fetch.ts';

export interface Target {
  readonly manifestUrl: string;
  readonly manifest: Manifest;
}

/** What the URL of the manifest answered. */
export interface ReadTarget {
  status: number | null;
  /** Why no answer came. */
  failure: string | null;
  /** The first thing for which the platform does not install it. */
  problem: string | null;
  warnings: readonly ManifestWarning[];
  /** Null: the platform cannot read it. */
  manifest: Manifest | null;
}

const limitMs = 10_000;
/** As `parseManifest` has it. */
const maxBytes = 256 * 1024;
const unreadableCodes: unknown[] = ['BODY_TOO_LARGE', 'ERR_ENCODING_INVALID_ENCODED_DATA'];

/** Reads the manifest, as the platform does. Never rejects. Redirects are not followed. */
export async function readTarget(manifestUrl: string): Promise<ReadTarget> {
  const nothing = { status: null, failure: null, problem: null, warnings: [], manifest: null };
  try {
    const response = await freshFetch(manifestUrl, { signal: AbortSignal.timeout(limitMs) });
    const { status, ok } = response;
    const problem = status === 200 ? null : `It answers with status ${status}`;
    if (ok) return { ...nothing, status, problem, ...(await readManifest(response, manifestUrl)) };
    await response.body?.cancel();
    return { ...nothing, status, problem };
  } catch (error) {
    return { ...nothing, failure: explainFetchFailure(error) };
  }
}

/** @throws what ends the body before its end */
async function readManifest(
  { body }: Response,
  manifestUrl: string,
): Promise<Partial<Pick<ReadTarget, 'problem' | 'warnings' | 'manifest'>>> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    const parsed = parseManifest(decoder.decode(await readBounded(body, maxBytes)), manifestUrl);
    const { warnings } = parsed;
    if (parsed.ok) return { warnings, manifest: parsed.manifest };
    const [first] = parsed.problems;
    const place = `Line ${first?.line} ${first?.pointer}`.trim();
    return { warnings, problem: `${place}: ${first?.message}` };
  } catch (error) {
    if (!unreadableCodes.includes((error as NodeJS.ErrnoException).code)) throw error;
    return { problem: 'It is not UTF-8 text, or larger than 256 KB' };
  }
}
