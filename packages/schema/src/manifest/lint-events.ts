/** Whether the plug-in gets the events that it needs, and may request what it requests. */
import type { Manifest } from './manifest.ts';
import { manifestVersions } from './manifest.ts';
import type { Finding, ManifestWarningCode } from './manifest-problem.ts';
import { indexesOfRepeats } from './refuse.ts';

type Warning = Finding<ManifestWarningCode>;

const apiAccessSince = '2.5.0';

/** @param hasLifecycle the manifest has the member; it is not in `manifest` if it does not fit the schema */
export function lintEvents(manifest: Partial<Manifest>, hasLifecycle: boolean): Warning[] {
  return [
    ...lintVersion(manifest),
    ...lintLifecycle(manifest, hasLifecycle),
    ...lintRepeats(manifest),
  ];
}

function lintVersion({ manifestVersion, apiAccess }: Partial<Manifest>): Warning[] {
  if (manifestVersion === undefined) return [];
  const path = ['manifestVersion'];
  if (!(manifestVersions as readonly string[]).includes(manifestVersion)) {
    const message = 'This version is not known.';
    const fix = `Write one of: ${manifestVersions.join(', ')}.`;
    return [{ path, code: 'MANIFEST_VERSION_UNKNOWN', message, fix }];
  }
  if (!apiAccess || manifestVersion === apiAccessSince) return [];
  const message = `apiAccess is part of the manifest since version ${apiAccessSince}.`;
  const fix = `Write "${apiAccessSince}".`;
  return [{ path, code: 'API_ACCESS_VERSION_OLD', message, fix }];
}

function lintLifecycle(
  { lifecycle, apiAccess }: Partial<Manifest>,
  hasLifecycle: boolean,
): Warning[] {
  if (!lifecycle) {
    if (!apiAccess || hasLifecycle) return [];
    const message = 'The plug-in is not notified when it is removed, and keeps its tokens.';
    const fix = 'Add "lifecycle" with the events install and uninstall.';
    return [
      { path: ['apiAccess'], part: 'name', code: 'API_ACCESS_WITHOUT_LIFECYCLE', message, fix },
    ];
  }
  const missing = (names: string[]) =>
    names.filter((name) => !(lifecycle.events as readonly string[]).includes(name));
  const path = ['lifecycle', 'events'];
  const basic = missing(['install', 'uninstall']).map(
    (name): Warning => ({
      path,
      code: 'LIFECYCLE_EVENT_MISSING',
      message: `The plug-in does not ask for ${name}.`,
      fix: `Add "${name}".`,
    }),
  );
  const instance = missing(['instance_add', 'instance_remove']).map(
    (name): Warning => ({
      path,
      code: 'INSTANCE_EVENT_MISSING',
      message: `The plug-in does not ask for ${name}: it cannot tell placed widgets apart.`,
      fix: `Add "${name}".`,
    }),
  );
  return [...basic, ...instance];
}

/** Duplicates in apiAccess are refused, not warned of. */
function lintRepeats({ context, lifecycle }: Partial<Manifest>): Warning[] {
  const lists: [string[], readonly string[] | undefined][] = [
    [['context'], context],
    [['lifecycle', 'events'], lifecycle?.events],
  ];
  return lists.flatMap(([path, entries]) =>
    indexesOfRepeats(entries ?? []).map(
      (index): Warning => ({
        path: [...path, index],
        code: 'ENTRY_DUPLICATE',
        message: 'This entry is already in the list.',
        fix: 'Remove it.',
      }),
    ),
  );
}
