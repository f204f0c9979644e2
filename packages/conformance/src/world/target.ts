/** The back end under examination, as its manifest describes it. */
import { type Manifest, type ManifestProblem, parseManifest } from '@dowel/schema';

export interface Target {
  readonly manifestUrl: string;
  readonly manifest: Manifest;
}

/** What the URL of the manifest answered. */
export interface ReadTarget {
  status: number | null;
  /** Why no answer came. */
  failure: string | null;
  problems: readonly ManifestProblem[];
  manifest: Manifest | null;
}

const limitMs = 10_000;

/** Reads the manifest. Never rejects. Redirects are not followed. */
export async function readTarget(manifestUrl: string): Promise<ReadTarget> {
  try {
    const response = await fetch(manifestUrl, {
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
    });
    const parsed = parseManifest(await response.text(), manifestUrl);
    const { status } = response;
    if (!parsed.ok) return { status, failure: null, problems: parsed.problems, manifest: null };
    const { manifest } = parsed;
    return { status, failure: null, problems: [], manifest };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error };
    return { status: null, failure: cause?.message || message, problems: [], manifest: null };
  }
}
