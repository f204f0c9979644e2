/** Compares an installed manifest with the one at its URL. */
import { compareManifests } from './compare-manifests.ts';
import type { UpdateOffer } from './control-api.ts';
import type { Environment } from './environment.ts';
import { InstallationFailedError } from './errors.ts';
import { loadManifest } from './read-manifest.ts';
import type { InstallationRecord } from './snapshot.ts';
import { pickText } from './views.ts';

/** Resolves with the changes, or with the problem of a manifest that cannot be used. */
export async function findUpdate(
  env: Environment,
  installation: InstallationRecord,
  language: string,
): Promise<UpdateOffer> {
  try {
    const manifest = await loadManifest(env, installation.manifestUrl);
    const changes = compareManifests(installation.manifest, manifest);
    return {
      changes: changes.map(({ kind, entryPoint }) => ({
        kind,
        entryPoint: entryPoint ? pickText(entryPoint.name, language) : null,
      })),
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof InstallationFailedError)) throw error;
    const { code, message } = error;
    if (code !== 'MANIFEST_UNREACHABLE' && code !== 'MANIFEST_INVALID') throw error;
    return { changes: [], problem: { code, message } };
  }
}
