/** The back end under examination, as its manifest describes it. */
import { explainFetchFailure } from '@dowel/http';
import {
  type Manifest,
  type ManifestProblem,
  type ManifestWarning,
  parseManifest,
} from '@dowel/schema';
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
  problems: readonly ManifestProblem[];
  warnings: readonly ManifestWarning[];
  manifest: Manifest | null;
}

const limitMs = 10_000;

/** Reads the manifest. Never rejects. Redirects are not followed. */
export async function readTarget(manifestUrl: string): Promise<ReadTarget> {
  try {
    const response = await freshFetch(manifestUrl, { signal: AbortSignal.timeout(limitMs) });
    const parsed = parseManifest(await response.text(), manifestUrl);
    const { status } = response;
    const { warnings } = parsed;
    if (!parsed.ok) {
      return { status, failure: null, problems: parsed.problems, warnings, manifest: null };
    }
    return { status, failure: null, problems: [], warnings, manifest: parsed.manifest };
  } catch (error) {
    const failure = explainFetchFailure(error);
    return { status: null, failure, problems: [], warnings: [], manifest: null };
  }
}
