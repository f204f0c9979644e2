/** What an update of an installation does with a changed manifest (Spec §3). */
import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from '@dowel/schema';
import type { ManifestChangeKind } from './update-schema.ts';

export interface ManifestChange {
  kind: ManifestChangeKind;
  /** The one that was added or removed. */
  entryPoint?: EntryPoint;
}

type EntryPoint = Manifest['entryPoints'][number];

/** Returns what an update from one manifest to the other changes; nothing if they are equal. */
export function compareManifests(before: Manifest, after: Manifest): ManifestChange[] {
  const changes = [
    ...compareAccess(before.apiAccess, after.apiAccess),
    ...compareLifecycles(before.lifecycle, after.lifecycle),
    ...compareEntryPoints(before.entryPoints, after.entryPoints),
  ];
  if (changes.length > 0 || isDeepStrictEqual(before, after)) return changes;
  return [{ kind: 'othersChanged' }];
}

function compareAccess(
  before: Manifest['apiAccess'],
  after: Manifest['apiAccess'],
): ManifestChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!before) return [{ kind: 'accessAdded' }];
  return [{ kind: after ? 'accessChanged' : 'accessRemoved' }];
}

function compareLifecycles(
  before: Manifest['lifecycle'],
  after: Manifest['lifecycle'],
): ManifestChange[] {
  return isDeepStrictEqual(before, after) ? [] : [{ kind: 'lifecycleChanged' }];
}

function compareEntryPoints(before: EntryPoint[], after: EntryPoint[]): ManifestChange[] {
  const missingIn = (others: EntryPoint[]) => (each: EntryPoint) =>
    !others.some(({ id }) => id === each.id);
  const added = after.filter(missingIn(before));
  const removed = before.filter(missingIn(after));
  return [
    ...added.map((entryPoint) => ({ kind: 'entryPointAdded' as const, entryPoint })),
    ...removed.map((entryPoint) => ({ kind: 'entryPointRemoved' as const, entryPoint })),
  ];
}
