/** Reads a plug-in's manifest by its URL (Spec §2.1), bounded in size and time. */
import { type Manifest, manifestSchema, resolveUrl } from '@dowel/schema';
import { readBoundedJson } from './bounded-json.ts';
import { describeIssues } from './describe-issues.ts';
import type { Environment } from './environment.ts';
import { InstallationFailedError } from './errors.ts';

const maxManifestBytes = 256 * 1024;

/** @throws InstallationFailedError `MANIFEST_UNREACHABLE`, `MANIFEST_INVALID` */
export async function readManifest(env: Environment, manifestUrl: string): Promise<Manifest> {
  const response = await get(env, manifestUrl);
  const json = await readBoundedJson(response, maxManifestBytes).catch((cause: unknown) => {
    throw invalid('It is not JSON, or too large', cause);
  });
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) throw invalid(describeIssues(parsed.error), parsed.error);
  checkUrls(parsed.data, manifestUrl);
  return parsed.data;
}

async function get(env: Environment, manifestUrl: string): Promise<Response> {
  try {
    const response = await env.fetch(resolveUrl(manifestUrl, manifestUrl), {
      headers: { accept: 'application/json' },
      // Relative URLs resolve against this URL, so it must be the one that answers.
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(env.timeoutMs), env.closed]),
    });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new Error(`It answers ${response.status}`);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'Unknown failure';
    const message = `The manifest could not be read: ${reason}`;
    throw new InstallationFailedError({ code: 'MANIFEST_UNREACHABLE', message }, [], { cause });
  }
}

function checkUrls({ lifecycle, apiAccess, entryPoints }: Manifest, manifestUrl: string): void {
  for (const part of [lifecycle, apiAccess, ...entryPoints]) {
    try {
      if (part) resolveUrl(part.url, manifestUrl);
    } catch (cause) {
      throw invalid(`"${part?.url}" is not an http(s) URL`, cause);
    }
  }
}

function invalid(reason: string, cause: unknown): InstallationFailedError {
  const message = `The manifest is invalid. ${reason}`;
  return new InstallationFailedError({ code: 'MANIFEST_INVALID', message }, [], { cause });
}
